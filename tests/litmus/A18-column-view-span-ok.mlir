// A18. hip-ep #180, #312, #330: a strided view is taken for as many contiguous elements.
// Right: the element that the host loads lies behind the column.
// RUN: exits 0 smtalloc races %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%ctx: !hip.context, %in: memref<4xf32>, %m: memref<4x16xf32>, %o: memref<f32>) {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %column = memref.subview %m[0, 3] [4, 1] [1, 1] : memref<4x16xf32> to memref<4xf32, strided<[16], offset: 3>>
  hip.neg(%ctx) ins(%in : memref<4xf32>) outs(%column : memref<4xf32, strided<[16], offset: 3>>)
  %v = memref.load %m[%c3, %c4] : memref<4x16xf32>
  memref.store %v, %o[] : memref<f32>
  return
}
