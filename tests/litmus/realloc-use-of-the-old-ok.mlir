// memref.realloc frees what it is given: the old memref must not be used any more (MLIR: memref.realloc).
// Right: the host loads from the new memref, which holds what the old one held.
// RUN: exits 0 smtalloc races %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%v: f32, %o: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %a = memref.alloc() : memref<4xf32>
  memref.store %v, %a[%c0] : memref<4xf32>

  %b = memref.realloc %a : memref<4xf32> to memref<8xf32>
  %w = memref.load %b[%c0] : memref<8xf32>
  memref.store %w, %b[%c5] : memref<8xf32>
  memref.store %w, %o[%c5] : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}
