// A buffer behind the realloc takes the memory of the one that was reallocated.
// Goes wrong: memref.realloc has freed %a (or gone on with it as %b).
// RUN: exits 1 smtalloc verify %inputs/realloc-shared-slot.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (use-after-free)
// CHECK: use-after-free: %a is freed at {{.*}}, then memref.store at {{.*}} uses %t in it
func.func @f(%v: f32, %o: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  memref.store %v, %a[%c0] : memref<4xf32>
  %b = memref.realloc %a : memref<4xf32> to memref<8xf32>
  memref.store %v, %a[%c0] : memref<4xf32>
  %w = memref.load %a[%c0] : memref<4xf32>
  memref.store %w, %o[%c0] : memref<8xf32>
  %u = memref.load %b[%c0] : memref<8xf32>
  memref.store %u, %o[%c0] : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}
