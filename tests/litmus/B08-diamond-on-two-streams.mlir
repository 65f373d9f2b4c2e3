// B08. pytorch #178549: a diamond on two streams; what stream 1 freed is given to stream 2.
// Goes wrong: %t is dead on compq in program order, but copyq writes %u there before compq has read it.
// RUN: exits 1 smtalloc verify --profile %profiles/two-queues.toml %inputs/B08-diamond-on-two-streams.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %t and %u share AFTER's %t; copyq.copy at {{.*}} can overwrite %t before compq.map at {{.*}}:8:3 reads it
func.func @f(%x: memref<8xf32>, %o: memref<8xf32>) {
  %root = memref.alloc() : memref<8xf32>
  "compq.map"(%x, %root) : (memref<8xf32>, memref<8xf32>) -> ()
  "host.wait_compq"() : () -> ()
  %t = memref.alloc() : memref<8xf32>
  %left = memref.alloc() : memref<8xf32>
  "compq.map"(%root, %t) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%t, %left) : (memref<8xf32>, memref<8xf32>) -> ()
  "copyq.copy"(%root, %t) : (memref<8xf32>, memref<8xf32>) -> ()
  "host.wait_all"() : () -> ()
  "compq.zip"(%left, %t, %o) : (memref<8xf32>, memref<8xf32>, memref<8xf32>) -> ()
  return
}
