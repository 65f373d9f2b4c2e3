// A07. hip-ep #384, #410, #413, #416, #421, #559: CSE folds two equal tensor.empty seeds of one attention op.
// Goes wrong: present key and present value get one buffer, and both are read afterwards.
// RUN: exits 1 smtalloc verify %inputs/A07-one-buffer-for-two-outputs.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (lifetime-overlap)
// CHECK: lifetime-overlap: %{{key|value}} and %{{key|value}} share AFTER's %key; {{.*}}hip.gqa at {{.*}}: their lives overlap
func.func @f(%ctx: !hip.context, %q: memref<64xf32>, %o: memref<64xf32>, %pk: memref<64xf32>, %pv: memref<64xf32>) {
  %key = memref.alloc() : memref<64xf32>
  hip.gqa(%ctx) ins(%q : memref<64xf32>) outs(%o, %key, %key : memref<64xf32>, memref<64xf32>, memref<64xf32>)
  hip.neg(%ctx) ins(%key : memref<64xf32>) outs(%pk : memref<64xf32>)
  hip.neg(%ctx) ins(%key : memref<64xf32>) outs(%pv : memref<64xf32>)
  return
}
