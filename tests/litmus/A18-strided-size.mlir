// A18. hip-ep #180, #312, #330: a strided view is taken for as many contiguous elements.
// Goes wrong: 4 elements with stride 16 need 49 elements of memory, the pass allocates 4.
// RUN: exits 1 smtalloc verify %inputs/A18-strided-size.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (too-small)
// CHECK: too-small: %s in %p: needs bytes 0 to 196, the memory has 16
func.func @f(%ctx: !hip.context, %in: memref<4xf32>, %o: memref<4xf32>) {
  %p = memref.alloc() : memref<4xf32>
  %s = memref.reinterpret_cast %p to offset: [0], sizes: [4], strides: [16] : memref<4xf32> to memref<4xf32, strided<[16]>>
  hip.neg(%ctx) ins(%in : memref<4xf32>) outs(%s : memref<4xf32, strided<[16]>>)
  hip.neg(%ctx) ins(%s : memref<4xf32, strided<[16]>>) outs(%o : memref<4xf32>)
  return
}
