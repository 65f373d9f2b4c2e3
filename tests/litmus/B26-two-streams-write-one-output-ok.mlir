// B26. ROCm/xla #839: two streams write one live-out buffer. By events.
// Right: %two waits for the event of %one.
// RUN: exits 0 smtalloc races --profile %profiles/streams.toml %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%one: !dev.stream, %two: !dev.stream, %e: !dev.event, %x: memref<8xf32>, %y: memref<8xf32>, %out: memref<8xf32>) {
  "dev.map"(%one, %x, %out) : (!dev.stream, memref<8xf32>, memref<8xf32>) -> ()
  "dev.record"(%one, %e) : (!dev.stream, !dev.event) -> ()
  "dev.stream_wait"(%two, %e) : (!dev.stream, !dev.event) -> ()
  "dev.copy"(%two, %y, %out) : (!dev.stream, memref<8xf32>, memref<8xf32>) -> ()
  return
}
