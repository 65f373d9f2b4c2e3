// A26. OptimizeMemRefs.cpp: %b is renamed to %a, and only the dealloc of %b goes away.
// Goes wrong: the slot is freed where %a was, and %b lives in it afterwards.
// RUN: exits 1 smtalloc verify %inputs/A26-dealloc-of-the-slot-stays.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (use-after-free)
// CHECK: use-after-free: %a is freed at {{.*}}A26-dealloc-of-the-slot-stays.mlir:10:3, then hip.exp at {{.*}} uses %b in it
func.func @f(%ctx: !hip.context, %x: memref<64xf32>, %o: memref<64xf32>, %p: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  hip.neg(%ctx) ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%o : memref<64xf32>)
  memref.dealloc %a : memref<64xf32>
  hip.exp(%ctx) ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%p : memref<64xf32>)
  return
}
