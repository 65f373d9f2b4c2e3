// A27. OptimizeMemRefs.cpp: a returned buffer is merged into a slot of another shape, or only a cast of it is returned.
// Right: the slot's dealloc goes away too.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/A27-returned-reuser.before.mlir %s | filecheck %s
// CHECK: @other_shape: SAFE
// CHECK: @cast: SAFE
func.func @other_shape(%ctx: !hip.context, %x: memref<64xf32>, %y: memref<32xf32>, %o: memref<64xf32>) -> memref<32xf32> {
  %a = memref.alloc() : memref<64xf32>
  hip.neg(%ctx) ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%o : memref<64xf32>)
  %b = memref.reinterpret_cast %a to offset: [0], sizes: [32], strides: [1] : memref<64xf32> to memref<32xf32>
  hip.neg(%ctx) ins(%y : memref<32xf32>) outs(%b : memref<32xf32>)
  return %b : memref<32xf32>
}
func.func @cast(%ctx: !hip.context, %x: memref<64xf32>, %o: memref<64xf32>) -> memref<?xf32> {
  %a = memref.alloc() : memref<64xf32>
  hip.neg(%ctx) ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%o : memref<64xf32>)
  hip.exp(%ctx) ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %r = memref.cast %a : memref<64xf32> to memref<?xf32>
  return %r : memref<?xf32>
}
