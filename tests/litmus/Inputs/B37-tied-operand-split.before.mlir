func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>) {
  %past = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%past : memref<8xf32>)
  hip.gqa(%ctx) ins(%x : memref<8xf32>) outs(%o, %past : memref<8xf32>, memref<8xf32>)
  return
}
