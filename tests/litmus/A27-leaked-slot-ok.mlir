// A27, the other way round: the slot of the returned buffer keeps its memory, and another slot loses its dealloc too.
// Right: only the returned one does.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/leak-returned.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%ctx: !hip.context, %x: memref<8xf32>) -> memref<8xf32> {
  %a = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  %b = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
  hip.neg(%ctx) ins(%b : memref<8xf32>) outs(%a : memref<8xf32>)
  memref.dealloc %b : memref<8xf32>
  return %a : memref<8xf32>
}
