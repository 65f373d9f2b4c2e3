// A08. hip-ep #716: the pool pass counted direct users only.
// Right: the view is read before %t is written.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/A08-read-through-a-view-ok.before.mlir %s | filecheck %s
// CHECK: @subview: SAFE
// CHECK-NEXT: shared: %s before %t
// CHECK-NEXT: @cast: SAFE
// CHECK-NEXT: shared: %s before %t
// CHECK-NEXT: @collapse: SAFE
// CHECK-NEXT: shared: %s before %t
func.func @subview(%ctx: !hip.context, %in: memref<8x8xf32>, %o: memref<8x4xf32>, %p: memref<8x8xf32>) {
  %s = memref.alloc() : memref<8x8xf32>
  hip.neg(%ctx) ins(%in : memref<8x8xf32>) outs(%s : memref<8x8xf32>)
  %v = memref.subview %s[0, 4] [8, 4] [1, 1] : memref<8x8xf32> to memref<8x4xf32, strided<[8, 1], offset: 4>>
  hip.neg(%ctx) ins(%v : memref<8x4xf32, strided<[8, 1], offset: 4>>) outs(%o : memref<8x4xf32>)
  hip.neg(%ctx) ins(%in : memref<8x8xf32>) outs(%s : memref<8x8xf32>)
  hip.neg(%ctx) ins(%s : memref<8x8xf32>) outs(%p : memref<8x8xf32>)
  return
}
func.func @cast(%ctx: !hip.context, %in: memref<64xf32>, %o: memref<64xf32>, %p: memref<64xf32>) {
  %s = memref.alloc() : memref<64xf32>
  hip.neg(%ctx) ins(%in : memref<64xf32>) outs(%s : memref<64xf32>)
  %v = memref.cast %s : memref<64xf32> to memref<?xf32>
  hip.gather(%ctx) ins(%v : memref<?xf32>) outs(%o : memref<64xf32>)
  hip.neg(%ctx) ins(%in : memref<64xf32>) outs(%s : memref<64xf32>)
  hip.neg(%ctx) ins(%s : memref<64xf32>) outs(%p : memref<64xf32>)
  return
}
func.func @collapse(%ctx: !hip.context, %in: memref<8x8xf32>, %o: memref<64xf32>, %p: memref<8x8xf32>) {
  %s = memref.alloc() : memref<8x8xf32>
  hip.neg(%ctx) ins(%in : memref<8x8xf32>) outs(%s : memref<8x8xf32>)
  %v = memref.collapse_shape %s [[0, 1]] : memref<8x8xf32> into memref<64xf32>
  hip.flat(%ctx) ins(%v : memref<64xf32>) outs(%o : memref<64xf32>)
  hip.neg(%ctx) ins(%in : memref<8x8xf32>) outs(%s : memref<8x8xf32>)
  hip.neg(%ctx) ins(%s : memref<8x8xf32>) outs(%p : memref<8x8xf32>)
  return
}
