// A07. hip-ep #384, #410, #413, #416, #421, #559: the two results that look dead are state of the kernel itself.
// Goes wrong: nobody reads the key and the value afterwards, but hip.gqa reads back what it wrote there (its outs are
// state), and in one buffer it finds the value where it put the key.
// RUN: exits 1 smtalloc verify %inputs/A07-dead-outputs-reread-by-kernel.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (lifetime-overlap)
// CHECK: lifetime-overlap: %{{key|value}} and %{{key|value}} in %key: one op writes both and reads one of them again
func.func @f(%ctx: !hip.context, %q: memref<64xf32>, %o: memref<64xf32>) {
  %key = memref.alloc() : memref<64xf32>
  hip.gqa(%ctx) ins(%q : memref<64xf32>) outs(%o, %key, %key : memref<64xf32>, memref<64xf32>, memref<64xf32>)
  return
}
