// A20. hip-ep #919: a barrier waits for what concerns the destination buffer, not for the value that was produced.
// Right: the host waits for the queue of the producer.
// RUN: exits 0 smtalloc races --profile %profiles/two-queues.toml %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%x: memref<8xf32>, %d: memref<8xf32>, %o: memref<8xf32>) {
  %v = memref.alloc() : memref<8xf32>

  "copyq.copy"(%x, %d) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%x, %v) : (memref<8xf32>, memref<8xf32>) -> ()
  "host.wait_compq"() : () -> ()
  "copyq.copy"(%v, %o) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
