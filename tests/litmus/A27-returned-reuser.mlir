// A27. OptimizeMemRefs.cpp: a returned buffer is merged into a slot of another shape, or only a cast of it is returned.
// Goes wrong: the pass looks for the dealloc of the new cast and not of the slot, so what is returned has been freed.
// RUN: exits 1 smtalloc verify %inputs/A27-returned-reuser.before.mlir %s | filecheck %s
// CHECK: @other_shape: UNSAFE (use-after-free)
// CHECK: use-after-free: %a is freed at {{.*}}:14:3, then %b in it is returned
// CHECK: @cast: UNSAFE (use-after-free)
// CHECK: use-after-free: %a is freed at {{.*}}:23:3, then %b in it is returned
func.func @other_shape(%ctx: !hip.context, %x: memref<64xf32>, %y: memref<32xf32>, %o: memref<64xf32>) -> memref<32xf32> {
  %a = memref.alloc() : memref<64xf32>
  hip.neg(%ctx) ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%o : memref<64xf32>)
  %b = memref.reinterpret_cast %a to offset: [0], sizes: [32], strides: [1] : memref<64xf32> to memref<32xf32>
  hip.neg(%ctx) ins(%y : memref<32xf32>) outs(%b : memref<32xf32>)
  memref.dealloc %a : memref<64xf32>
  return %b : memref<32xf32>
}
func.func @cast(%ctx: !hip.context, %x: memref<64xf32>, %o: memref<64xf32>) -> memref<?xf32> {
  %a = memref.alloc() : memref<64xf32>
  hip.neg(%ctx) ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%o : memref<64xf32>)
  hip.exp(%ctx) ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %r = memref.cast %a : memref<64xf32> to memref<?xf32>
  memref.dealloc %a : memref<64xf32>
  return %r : memref<?xf32>
}
