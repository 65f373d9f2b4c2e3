// B08. pytorch #178549: a diamond on two streams; what stream 1 freed is given to stream 2.
// Right: the host waits for stream 1 before stream 2 gets its memory.
// RUN: exits 0 smtalloc verify --no-minimum --profile %profiles/two-queues.toml %inputs/B08-diamond-on-two-streams-ok.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
// CHECK: shared: %t before %u: compq.map at {{.*}}, then copyq.copy at {{.*}} ({{.*}} waits for {{.*}})
func.func @f(%x: memref<8xf32>, %o: memref<8xf32>) {
  %root = memref.alloc() : memref<8xf32>
  "compq.map"(%x, %root) : (memref<8xf32>, memref<8xf32>) -> ()
  "host.wait_compq"() : () -> ()
  %t = memref.alloc() : memref<8xf32>
  %left = memref.alloc() : memref<8xf32>
  "compq.map"(%root, %t) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%t, %left) : (memref<8xf32>, memref<8xf32>) -> ()
  "host.wait_compq"() : () -> ()
  "copyq.copy"(%root, %t) : (memref<8xf32>, memref<8xf32>) -> ()
  "host.wait_all"() : () -> ()
  "compq.zip"(%left, %t, %o) : (memref<8xf32>, memref<8xf32>, memref<8xf32>) -> ()
  return
}
