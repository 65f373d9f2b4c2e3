func.func @f(%ctx: !hip.context, %m: memref<8x8x8xf32, strided<[?, ?, ?]>>, %o: memref<8x8xf32>)  {
  %t = memref.subview %m[0,0,0] [8, 1, 8] [1,1,1] : memref<8x8x8xf32, strided<[?, ?, ?]>> to memref<8x8xf32, strided<[?, ?]>>
  hip.relu(%ctx) ins(%t : memref<8x8xf32, strided<[?, ?]>>) outs(%o : memref<8x8xf32>)
  return
}
