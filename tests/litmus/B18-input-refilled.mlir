// B18. llama.cpp #8897 (#8685): the host refills an input that an asynchronous copy of the last batch still reads.
// Goes wrong: the store of the next batch lands before the queued copy has read.
// RUN: exits 1 smtalloc races --profile %profiles/two-queues.toml %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %x: memref.store at {{.*}}:10:3 does not wait for copyq.copy at {{.*}}:9:3, and may run first
func.func @f(%first: f32, %next: f32, %d: memref<f32>, %e: memref<f32>) {
  %x = memref.alloc() : memref<f32>
  memref.store %first, %x[] : memref<f32>
  "copyq.copy"(%x, %d) : (memref<f32>, memref<f32>) -> ()
  memref.store %next, %x[] : memref<f32>
  "copyq.copy"(%x, %e) : (memref<f32>, memref<f32>) -> ()
  return
}
