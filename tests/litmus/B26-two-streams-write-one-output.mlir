// B26. ROCm/xla #839: two streams write one live-out buffer. By events.
// Goes wrong: %one waits for its own event, %two for nothing: which write comes last is not decided (WAW).
// RUN: exits 1 smtalloc races --profile %profiles/streams.toml %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %out: dev.copy at {{.*}} does not wait for dev.map at {{.*}}, and may run first
func.func @f(%one: !dev.stream, %two: !dev.stream, %e: !dev.event, %x: memref<8xf32>, %y: memref<8xf32>, %out: memref<8xf32>) {
  "dev.map"(%one, %x, %out) : (!dev.stream, memref<8xf32>, memref<8xf32>) -> ()
  "dev.record"(%one, %e) : (!dev.stream, !dev.event) -> ()
  "dev.stream_wait"(%one, %e) : (!dev.stream, !dev.event) -> ()
  "dev.copy"(%two, %y, %out) : (!dev.stream, memref<8xf32>, memref<8xf32>) -> ()
  return
}
