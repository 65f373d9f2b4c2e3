// A07. hip-ep #384, #410, #413, #416, #421, #559: the two results that look dead are state of the kernel itself.
// Right: each output has its own buffer.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/A07-dead-outputs-reread-by-kernel.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%ctx: !hip.context, %q: memref<64xf32>, %o: memref<64xf32>) {
  %key = memref.alloc() : memref<64xf32>
  %value = memref.alloc() : memref<64xf32>
  hip.gqa(%ctx) ins(%q : memref<64xf32>) outs(%o, %key, %value : memref<64xf32>, memref<64xf32>, memref<64xf32>)
  return
}
