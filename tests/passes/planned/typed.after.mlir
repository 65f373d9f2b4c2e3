// The planner's first form: an arena of elements, and subviews with their offset in the type.
func.func @chain(%x: memref<64xf32>, %o: memref<64xf32>) {
  %arena = memref.alloc() : memref<128xf32>
  %a0 = memref.subview %arena[0] [64] [1] : memref<128xf32> to memref<64xf32, strided<[1]>>
  %b0 = memref.subview %arena[64] [64] [1] : memref<128xf32> to memref<64xf32, strided<[1], offset: 64>>
  linalg.copy ins(%x : memref<64xf32>) outs(%a0 : memref<64xf32, strided<[1]>>)
  linalg.add ins(%a0, %x : memref<64xf32, strided<[1]>>, memref<64xf32>) outs(%b0 : memref<64xf32, strided<[1], offset: 64>>)
  linalg.copy ins(%b0 : memref<64xf32, strided<[1], offset: 64>>) outs(%o : memref<64xf32>)
  return
}
