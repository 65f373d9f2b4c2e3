// memref.realloc: what lies behind the old end is undefined (MLIR: memref.realloc).
// Right: element 5 is written first.
// RUN: exits 0 smtalloc races %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%v: f32, %o: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %a = memref.alloc() : memref<4xf32>
  memref.store %v, %a[%c0] : memref<4xf32>
  %b = memref.realloc %a : memref<4xf32> to memref<8xf32>
  memref.store %v, %b[%c5] : memref<8xf32>
  %w = memref.load %b[%c5] : memref<8xf32>
  memref.store %w, %o[%c0] : memref<8xf32>
  return
}
