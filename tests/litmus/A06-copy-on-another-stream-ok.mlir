// A06. hip-ep #370: memref.copy goes to a thread-local stream, its consumer to the session's.
// Right: the host waits for the copy's queue before it launches the consumer.
// RUN: exits 0 smtalloc races --profile %profiles/two-queues.toml %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%in: memref<8xf32>, %o: memref<8xf32>) {
  %s = memref.alloc() : memref<8xf32>
  "copyq.copy"(%in, %s) : (memref<8xf32>, memref<8xf32>) -> ()
  "host.wait_copyq"() : () -> ()
  "compq.map"(%s, %o) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
