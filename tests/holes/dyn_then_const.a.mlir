func.func @f(%ctx: !hip.context, %i: index, %j: index, %x: memref<64x64xf32>, %o: memref<8xf32>)  {
  %u = memref.subview %x[%i, 0] [8, 64] [1, 1] : memref<64x64xf32> to memref<8x64xf32, strided<[64, 1], offset: ?>>
  %v = memref.subview %u[3, 5] [1, 8] [1, 1] : memref<8x64xf32, strided<[64, 1], offset: ?>> to memref<8xf32, strided<[1], offset: ?>>
  hip.relu(%ctx) ins(%v : memref<8xf32, strided<[1], offset: ?>>) outs(%o : memref<8xf32>)
  return
}
