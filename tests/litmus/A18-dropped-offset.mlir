// A18. hip-ep #180, #312, #330: a view with an offset is passed to a kernel that takes a bare pointer.
// Goes wrong: the offset is dropped, the kernel reads the first four elements instead of the last four.
// RUN: exits 1 smtalloc verify %inputs/A18-dropped-offset.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE
func.func @f(%ctx: !hip.context, %in: memref<8xf32>, %o: memref<4xf32>) {
  %s = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%in : memref<8xf32>) outs(%s : memref<8xf32>)
  %v = memref.reinterpret_cast %s to offset: [0], sizes: [4], strides: [1] : memref<8xf32> to memref<4xf32>
  hip.neg(%ctx) ins(%v : memref<4xf32>) outs(%o : memref<4xf32>)
  return
}
