func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>) {
  %v = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%v : memref<8xf32>)
  hip.next(%ctx) ins(%v : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
