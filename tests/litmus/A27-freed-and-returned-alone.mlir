// A27. OptimizeMemRefs.cpp: the module that the pass leaves behind, alone.
// Goes wrong: %a is freed, then a cast of it is returned.
// RUN: exits 1 smtalloc races %s | filecheck %s
// CHECK: @f: UNSAFE (use-after-free)
func.func @f(%ctx: !hip.context, %x: memref<64xf32>) -> memref<?xf32> {
  %a = memref.alloc() : memref<64xf32>
  hip.exp(%ctx) ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %r = memref.cast %a : memref<64xf32> to memref<?xf32>
  memref.dealloc %a : memref<64xf32>
  return %r : memref<?xf32>
}
