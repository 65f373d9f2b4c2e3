// A40. OptimizeMemRefs.cpp: for dynamic types both sizes read as 0, waste is 0, the first compatible slot wins; static
// types of 0 elements take the same path.
// Right: type and size operands are equal, so the slot fits; nothing is ever accessed in an empty buffer.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/A40-dynamic-and-empty-types.before.mlir %s | filecheck %s
// CHECK: @dynamic: SAFE
// CHECK-NEXT: shared: %a before %b
// CHECK: @empty: SAFE
func.func @dynamic(%ctx: !hip.context, %n: index, %x: memref<?xf32>, %o: memref<?xf32>, %p: memref<?xf32>) {
  %a = memref.alloc(%n) : memref<?xf32>
  hip.neg(%ctx) ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  hip.neg(%ctx) ins(%a : memref<?xf32>) outs(%o : memref<?xf32>)
  hip.neg(%ctx) ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  hip.neg(%ctx) ins(%a : memref<?xf32>) outs(%p : memref<?xf32>)
  return
}
func.func @empty(%ctx: !hip.context, %x: memref<0xf32>, %o: memref<0xf32>) {
  %a = memref.alloc() : memref<0xf32>
  hip.neg(%ctx) ins(%x : memref<0xf32>) outs(%a : memref<0xf32>)
  hip.neg(%ctx) ins(%x : memref<0xf32>) outs(%a : memref<0xf32>)
  hip.add(%ctx) ins(%a, %a : memref<0xf32>, memref<0xf32>) outs(%o : memref<0xf32>)
  return
}
