// B18. llama.cpp #8897 (#8685): the host refills an input that an asynchronous copy of the last batch still reads.
// Right: the host waits for the copy before it refills.
// RUN: exits 0 smtalloc races --profile %profiles/two-queues.toml %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%first: f32, %next: f32, %d: memref<f32>, %e: memref<f32>) {
  %x = memref.alloc() : memref<f32>
  memref.store %first, %x[] : memref<f32>
  "copyq.copy"(%x, %d) : (memref<f32>, memref<f32>) -> ()
  "host.wait_copyq"() : () -> ()
  memref.store %next, %x[] : memref<f32>
  "copyq.copy"(%x, %e) : (memref<f32>, memref<f32>) -> ()
  return
}
