// memref.realloc: what lies behind the old end is undefined (MLIR: memref.realloc).
// Goes wrong: element 5 of %b is read, and nobody has written it.
// RUN: exits 1 smtalloc races %s | filecheck %s
// CHECK: @f: UNSAFE (read-before-write)
// CHECK: read-before-write: %b: memref.load at
func.func @f(%v: f32, %o: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %a = memref.alloc() : memref<4xf32>
  memref.store %v, %a[%c0] : memref<4xf32>
  %b = memref.realloc %a : memref<4xf32> to memref<8xf32>
  %w = memref.load %b[%c5] : memref<8xf32>
  memref.store %w, %o[%c0] : memref<8xf32>
  return
}
