// A18. hip-ep #180, #312, #330: a strided view is taken for as many contiguous elements.
// Right: the memory reaches as far as the last element.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/A18-strided-size.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%ctx: !hip.context, %in: memref<4xf32>, %o: memref<4xf32>) {
  %p = memref.alloc() : memref<49xf32>
  %s = memref.reinterpret_cast %p to offset: [0], sizes: [4], strides: [16] : memref<49xf32> to memref<4xf32, strided<[16]>>
  hip.neg(%ctx) ins(%in : memref<4xf32>) outs(%s : memref<4xf32, strided<[16]>>)
  hip.neg(%ctx) ins(%s : memref<4xf32, strided<[16]>>) outs(%o : memref<4xf32>)
  return
}
