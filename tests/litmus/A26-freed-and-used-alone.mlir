// A26. OptimizeMemRefs.cpp: the module that the pass leaves behind, alone.
// Goes wrong: %a is freed, then written and read.
// RUN: exits 1 smtalloc races %s | filecheck %s
// CHECK: @f: UNSAFE (use-after-free)
func.func @f(%ctx: !hip.context, %x: memref<64xf32>, %o: memref<64xf32>, %p: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  hip.neg(%ctx) ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%o : memref<64xf32>)
  memref.dealloc %a : memref<64xf32>
  hip.exp(%ctx) ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%p : memref<64xf32>)
  return
}
