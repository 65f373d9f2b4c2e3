func.func @f(%ctx: !hip.context, %m: memref<8x8xf32, strided<[?, ?]>>, %o: memref<8x8xf32>)  {
  %t = memref.transpose %m (i, j) -> (j, i) : memref<8x8xf32, strided<[?, ?]>> to memref<8x8xf32, strided<[?, ?]>>
  hip.relu(%ctx) ins(%t : memref<8x8xf32, strided<[?, ?]>>) outs(%o : memref<8x8xf32>)
  return
}
