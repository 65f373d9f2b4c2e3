func.func @f(%ctx: !hip.context, %m: memref<8x8xf32>, %o: memref<8x8xf32>)  {
  %t = memref.reinterpret_cast %m to offset: [0], sizes: [8, 8], strides: [8, 1] : memref<8x8xf32> to memref<8x8xf32, strided<[?, ?]>>
  hip.relu(%ctx) ins(%t : memref<8x8xf32, strided<[?, ?]>>) outs(%o : memref<8x8xf32>)
  return
}
