// A26, the other way round: the deallocs of both members of a slot go away.
// Right: the dealloc of the last one stays, for the slot.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/leak.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  hip.neg(%ctx) ins(%a : memref<8xf32>) outs(%o : memref<8xf32>)
  hip.neg(%ctx) ins(%o : memref<8xf32>) outs(%a : memref<8xf32>)
  hip.neg(%ctx) ins(%a : memref<8xf32>) outs(%o : memref<8xf32>)
  memref.dealloc %a : memref<8xf32>
  return
}
