func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>) {
  %in = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%in : memref<8xf32>)
  %out = memref.alloc() : memref<8xf32>
  memref.copy %in, %out : memref<8xf32> to memref<8xf32>
  hip.neg(%ctx) ins(%out : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
