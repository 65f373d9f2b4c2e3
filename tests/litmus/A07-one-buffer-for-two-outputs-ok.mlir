// A07. hip-ep #384, #410, #413, #416, #421, #559: CSE folds two equal tensor.empty seeds of one attention op.
// Right: the duplicate is split, so each output has its own buffer.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/A07-one-buffer-for-two-outputs.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%ctx: !hip.context, %q: memref<64xf32>, %o: memref<64xf32>, %pk: memref<64xf32>, %pv: memref<64xf32>) {
  %key = memref.alloc() : memref<64xf32>
  %value = memref.alloc() : memref<64xf32>
  hip.gqa(%ctx) ins(%q : memref<64xf32>) outs(%o, %key, %value : memref<64xf32>, memref<64xf32>, memref<64xf32>)
  hip.neg(%ctx) ins(%key : memref<64xf32>) outs(%pk : memref<64xf32>)
  hip.neg(%ctx) ins(%value : memref<64xf32>) outs(%pv : memref<64xf32>)
  return
}
