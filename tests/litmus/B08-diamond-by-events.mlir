// B08. pytorch #178549: a diamond on two streams; what stream 1 freed is given to stream 2. By events.
// Goes wrong: %two waits for %root only, and writes its result over %t while %one still reads that.
// RUN: exits 1 smtalloc races --profile %profiles/streams.toml %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %t: dev.copy at {{.*}} does not wait for dev.map at {{.*}}:13:3, and may run first
func.func @f(%one: !dev.stream, %two: !dev.stream, %e: !dev.event, %g: !dev.event, %x: memref<8xf32>, %o: memref<8xf32>) {
  %root = memref.alloc() : memref<8xf32>
  %t = memref.alloc() : memref<8xf32>
  %left = memref.alloc() : memref<8xf32>
  "dev.map"(%one, %x, %root) : (!dev.stream, memref<8xf32>, memref<8xf32>) -> ()
  "dev.record"(%one, %e) : (!dev.stream, !dev.event) -> ()
  "dev.map"(%one, %root, %t) : (!dev.stream, memref<8xf32>, memref<8xf32>) -> ()
  "dev.map"(%one, %t, %left) : (!dev.stream, memref<8xf32>, memref<8xf32>) -> ()
  "dev.stream_wait"(%two, %e) : (!dev.stream, !dev.event) -> ()
  "dev.copy"(%two, %root, %t) : (!dev.stream, memref<8xf32>, memref<8xf32>) -> ()
  "dev.record"(%two, %g) : (!dev.stream, !dev.event) -> ()
  "dev.stream_wait"(%one, %g) : (!dev.stream, !dev.event) -> ()
  "dev.zip"(%one, %left, %t, %o) : (!dev.stream, memref<8xf32>, memref<8xf32>, memref<8xf32>) -> ()
  return
}
