// B40. triton #3327, review: an asynchronous dot reads shared memory until its wait (the queue stands for the tensor
// core, the host for the program that issues the dot and fills shared memory).
// Right: %b is filled behind the wait.
// RUN: exits 0 smtalloc verify --no-minimum --profile %profiles/two-queues.toml %inputs/B40-asynchronous-read-window-ok.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
// CHECK: shared: %a before %b: compq.map at {{.*}}, then memref.store at {{.*}} ({{.*}} waits for {{.*}})
func.func @f(%v: f32, %w: f32, %o: memref<f32>, %p: memref<f32>) {
  %a = memref.alloc() : memref<f32>
  memref.store %v, %a[] : memref<f32>
  "compq.map"(%a, %o) : (memref<f32>, memref<f32>) -> ()
  "host.wait_compq"() : () -> ()
  memref.store %w, %a[] : memref<f32>
  "compq.map"(%a, %p) : (memref<f32>, memref<f32>) -> ()
  return
}
