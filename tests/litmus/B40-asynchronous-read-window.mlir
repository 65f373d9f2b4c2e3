// B40. triton #3327, review: an asynchronous dot reads shared memory until its wait (the queue stands for the tensor
// core, the host for the program that issues the dot and fills shared memory).
// Goes wrong: the life of %a ends at the issue, so %b is filled in the same bytes while the dot still reads.
// RUN: exits 1 smtalloc verify --profile %profiles/two-queues.toml %inputs/B40-asynchronous-read-window.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %a and %b share AFTER's %a; memref.store at {{.*}} can overwrite %a before compq.map at {{.*}}:4:3 reads it: the host runs ahead of the queue
func.func @f(%v: f32, %w: f32, %o: memref<f32>, %p: memref<f32>) {
  %a = memref.alloc() : memref<f32>
  memref.store %v, %a[] : memref<f32>
  "compq.map"(%a, %o) : (memref<f32>, memref<f32>) -> ()
  memref.store %w, %a[] : memref<f32>
  "host.wait_compq"() : () -> ()
  "compq.map"(%a, %p) : (memref<f32>, memref<f32>) -> ()
  return
}
