func.func @f(%ctx: !hip.context, %in: memref<4xf32>, %o: memref<4xf32>) {
  %s = memref.alloc() : memref<4xf32, strided<[16]>>
  hip.neg(%ctx) ins(%in : memref<4xf32>) outs(%s : memref<4xf32, strided<[16]>>)
  hip.neg(%ctx) ins(%s : memref<4xf32, strided<[16]>>) outs(%o : memref<4xf32>)
  return
}
