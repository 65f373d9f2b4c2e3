// A20. hip-ep #919: a barrier waits for what concerns the destination buffer, not for the value that was produced.
// Goes wrong: the host waits for the copies into %d, while the kernel that makes %v is on the other queue.
// RUN: exits 1 smtalloc races --profile %profiles/two-queues.toml %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %v: copyq.copy at {{.*}}:12:3 does not wait for compq.map at {{.*}}:10:3, and may run first
func.func @f(%x: memref<8xf32>, %d: memref<8xf32>, %o: memref<8xf32>) {
  %v = memref.alloc() : memref<8xf32>

  "copyq.copy"(%x, %d) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%x, %v) : (memref<8xf32>, memref<8xf32>) -> ()
  "host.wait_copyq"() : () -> ()
  "copyq.copy"(%v, %o) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
