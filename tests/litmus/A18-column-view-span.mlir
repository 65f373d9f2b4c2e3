// A18. hip-ep #180, #312, #330: a strided view is taken for as many contiguous elements.
// Goes wrong: the kernel writes a column of 4 rows, 52 elements from first to last; the host loads one of them, 48
// elements further than the element count reaches, without a wait.
// RUN: exits 1 smtalloc races %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %m: memref.load at {{.*}} does not wait for hip.neg at {{.*}}, and may run first
func.func @f(%ctx: !hip.context, %in: memref<4xf32>, %m: memref<4x16xf32>, %o: memref<f32>) {
  %c3 = arith.constant 3 : index
  %column = memref.subview %m[0, 3] [4, 1] [1, 1] : memref<4x16xf32> to memref<4xf32, strided<[16], offset: 3>>
  hip.neg(%ctx) ins(%in : memref<4xf32>) outs(%column : memref<4xf32, strided<[16], offset: 3>>)
  %v = memref.load %m[%c3, %c3] : memref<4x16xf32>
  memref.store %v, %o[] : memref<f32>
  return
}
