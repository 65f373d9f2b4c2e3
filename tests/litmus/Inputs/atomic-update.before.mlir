func.func @f(%o: memref<8xf32>, %p: memref<8xf32>, %v: f32, %w: f32) {
  %c3 = arith.constant 3 : index
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  memref.store %v, %a[%c3] : memref<8xf32>
  memref.store %w, %b[%c3] : memref<8xf32>
  %old = memref.generic_atomic_rmw %a[%c3] : memref<8xf32> {
  ^bb0(%e: f32):
    %s = arith.addf %e, %v : f32
    memref.atomic_yield %s : f32
  }
  %r = memref.load %a[%c3] : memref<8xf32>
  memref.store %r, %o[%c3] : memref<8xf32>
  %q = memref.load %b[%c3] : memref<8xf32>
  memref.store %q, %p[%c3] : memref<8xf32>
  return
}
