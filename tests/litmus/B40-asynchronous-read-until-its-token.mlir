// B40. triton #3327, review: an asynchronous read goes on until its wait, not until its issue. As a gpu token.
// Goes wrong: the memory is refilled between issue and wait.
// RUN: exits 1 smtalloc races %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %a: memref.store at {{.*}}:10:3 does not wait for gpu.memcpy at {{.*}}, and may run first
func.func @f(%v: f32, %w: f32, %o: memref<f32>, %p: memref<f32>) {
  %a = memref.alloc() : memref<f32>
  memref.store %v, %a[] : memref<f32>
  %t = gpu.memcpy async %o, %a : memref<f32>, memref<f32>
  memref.store %w, %a[] : memref<f32>
  gpu.wait [%t]
  gpu.memcpy %p, %a : memref<f32>, memref<f32>
  return
}
