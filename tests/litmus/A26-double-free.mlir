// A26. OptimizeMemRefs.cpp: neither dealloc goes away.
// Goes wrong: %a's dealloc is kept, %b's becomes a second one of the same slot.
// RUN: exits 1 smtalloc verify %inputs/A26-dealloc-of-the-slot-stays.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE ({{.*}}double-free
// CHECK: double-free: %a is freed at {{.*}}:13:3, and already at {{.*}}:10:3
func.func @f(%ctx: !hip.context, %x: memref<64xf32>, %o: memref<64xf32>, %p: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  hip.neg(%ctx) ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%o : memref<64xf32>)
  memref.dealloc %a : memref<64xf32>
  hip.exp(%ctx) ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%p : memref<64xf32>)
  memref.dealloc %a : memref<64xf32>
  return
}
