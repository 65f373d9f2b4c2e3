func.func @f(%ctx: !hip.context, %m: memref<8x8xf32, strided<[?, ?]>>, %o: memref<8x8xf32>)  {
  hip.relu(%ctx) ins(%m : memref<8x8xf32, strided<[?, ?]>>) outs(%o : memref<8x8xf32>)
  return
}
