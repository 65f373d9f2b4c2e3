// A20. hip-ep #919, as an event: waiting for the wrong thing.
// Right: an event each.
// RUN: exits 0 smtalloc races --profile %profiles/streams.toml %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%one: !dev.stream, %two: !dev.stream, %three: !dev.stream, %e: !dev.event, %d: !dev.event,
             %x: memref<8xf32>, %y: memref<8xf32>, %o: memref<8xf32>) {
  %s = memref.alloc() : memref<8xf32>
  %t = memref.alloc() : memref<8xf32>
  "dev.map"(%one, %x, %s) : (!dev.stream, memref<8xf32>, memref<8xf32>) -> ()
  "dev.record"(%one, %d) : (!dev.stream, !dev.event) -> ()
  "dev.map"(%two, %y, %t) : (!dev.stream, memref<8xf32>, memref<8xf32>) -> ()
  "dev.record"(%two, %e) : (!dev.stream, !dev.event) -> ()
  "dev.stream_wait"(%three, %d) : (!dev.stream, !dev.event) -> ()
  "dev.stream_wait"(%three, %e) : (!dev.stream, !dev.event) -> ()
  "dev.zip"(%three, %s, %t, %o) : (!dev.stream, memref<8xf32>, memref<8xf32>, memref<8xf32>) -> ()
  return
}
