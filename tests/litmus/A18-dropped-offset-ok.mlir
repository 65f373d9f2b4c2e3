// A18. hip-ep #180, #312, #330: a view with an offset is passed to a kernel that takes a bare pointer.
// Right: the same bytes, by another cast.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/A18-dropped-offset.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%ctx: !hip.context, %in: memref<8xf32>, %o: memref<4xf32>) {
  %s = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%in : memref<8xf32>) outs(%s : memref<8xf32>)
  %v = memref.reinterpret_cast %s to offset: [4], sizes: [4], strides: [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  hip.neg(%ctx) ins(%v : memref<4xf32, strided<[1], offset: 4>>) outs(%o : memref<4xf32>)
  return
}
