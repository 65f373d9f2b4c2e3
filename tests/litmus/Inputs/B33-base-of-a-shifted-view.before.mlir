func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %p: memref<8xf32>) {
  %c32 = arith.constant 32 : index
  %base = memref.alloc() {alignment = 64 : i64} : memref<64xi8>
  %v = memref.view %base[%c32][] : memref<64xi8> to memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%v : memref<8xf32>)
  %t = memref.alloc() : memref<8xf32>
  hip.exp(%ctx) ins(%x : memref<8xf32>) outs(%t : memref<8xf32>)
  hip.neg(%ctx) ins(%v : memref<8xf32>) outs(%o : memref<8xf32>)
  hip.neg(%ctx) ins(%t : memref<8xf32>) outs(%p : memref<8xf32>)
  return
}
