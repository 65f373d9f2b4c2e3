// A08. hip-ep #716: the pool pass counted direct users only.
// Goes wrong: %s is read through a subview, a cast and a collapsed shape after %t was put in its memory.
// RUN: exits 1 smtalloc verify %inputs/A08-read-through-a-view.before.mlir %s | filecheck %s
// CHECK: @subview: UNSAFE (lifetime-overlap)
// CHECK: lifetime-overlap: %s and %t share AFTER's %s; hip.neg at {{.*}}:7:3 can overwrite %s before hip.neg at {{.*}}:8:3 reads it: their lives overlap
// CHECK: @cast: UNSAFE (lifetime-overlap)
// CHECK: lifetime-overlap: %s and %t share AFTER's %s; hip.neg at {{.*}} can overwrite %s before hip.gather at {{.*}} reads it: their lives overlap
// CHECK: @collapse: UNSAFE (lifetime-overlap)
// CHECK: lifetime-overlap: %s and %t share AFTER's %s; hip.neg at {{.*}} can overwrite %s before hip.flat at {{.*}} reads it: their lives overlap
func.func @subview(%ctx: !hip.context, %in: memref<8x8xf32>, %o: memref<8x4xf32>, %p: memref<8x8xf32>) {
  %s = memref.alloc() : memref<8x8xf32>
  hip.neg(%ctx) ins(%in : memref<8x8xf32>) outs(%s : memref<8x8xf32>)
  %v = memref.subview %s[0, 4] [8, 4] [1, 1] : memref<8x8xf32> to memref<8x4xf32, strided<[8, 1], offset: 4>>
  hip.neg(%ctx) ins(%in : memref<8x8xf32>) outs(%s : memref<8x8xf32>)
  hip.neg(%ctx) ins(%v : memref<8x4xf32, strided<[8, 1], offset: 4>>) outs(%o : memref<8x4xf32>)
  hip.neg(%ctx) ins(%s : memref<8x8xf32>) outs(%p : memref<8x8xf32>)
  return
}
func.func @cast(%ctx: !hip.context, %in: memref<64xf32>, %o: memref<64xf32>, %p: memref<64xf32>) {
  %s = memref.alloc() : memref<64xf32>
  hip.neg(%ctx) ins(%in : memref<64xf32>) outs(%s : memref<64xf32>)
  %v = memref.cast %s : memref<64xf32> to memref<?xf32>
  hip.neg(%ctx) ins(%in : memref<64xf32>) outs(%s : memref<64xf32>)
  hip.gather(%ctx) ins(%v : memref<?xf32>) outs(%o : memref<64xf32>)
  hip.neg(%ctx) ins(%s : memref<64xf32>) outs(%p : memref<64xf32>)
  return
}
func.func @collapse(%ctx: !hip.context, %in: memref<8x8xf32>, %o: memref<64xf32>, %p: memref<8x8xf32>) {
  %s = memref.alloc() : memref<8x8xf32>
  hip.neg(%ctx) ins(%in : memref<8x8xf32>) outs(%s : memref<8x8xf32>)
  %v = memref.collapse_shape %s [[0, 1]] : memref<8x8xf32> into memref<64xf32>
  hip.neg(%ctx) ins(%in : memref<8x8xf32>) outs(%s : memref<8x8xf32>)
  hip.flat(%ctx) ins(%v : memref<64xf32>) outs(%o : memref<64xf32>)
  hip.neg(%ctx) ins(%s : memref<8x8xf32>) outs(%p : memref<8x8xf32>)
  return
}
