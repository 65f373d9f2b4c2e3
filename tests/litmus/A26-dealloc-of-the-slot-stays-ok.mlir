// A26. OptimizeMemRefs.cpp: %b is renamed to %a, and only the dealloc of %b goes away.
// Right: the slot is freed behind the last use of %b.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/A26-dealloc-of-the-slot-stays.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
// CHECK: shared: %a before %b
func.func @f(%ctx: !hip.context, %x: memref<64xf32>, %o: memref<64xf32>, %p: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  hip.neg(%ctx) ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%o : memref<64xf32>)
  hip.exp(%ctx) ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%p : memref<64xf32>)
  memref.dealloc %a : memref<64xf32>
  return
}
