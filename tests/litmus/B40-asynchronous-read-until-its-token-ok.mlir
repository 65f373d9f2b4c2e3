// B40. triton #3327, review: an asynchronous read goes on until its wait, not until its issue. As a gpu token.
// Right: it is refilled behind the wait.
// RUN: exits 0 smtalloc races %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%v: f32, %w: f32, %o: memref<f32>, %p: memref<f32>) {
  %a = memref.alloc() : memref<f32>
  memref.store %v, %a[] : memref<f32>
  %t = gpu.memcpy async %o, %a : memref<f32>, memref<f32>
  gpu.wait [%t]
  memref.store %w, %a[] : memref<f32>
  gpu.memcpy %p, %a : memref<f32>, memref<f32>
  return
}
