// B18. llama.cpp #8897: an input is refilled while a copy of it is queued. Over two streams.
// Right: %one -> event -> %two -> event -> host.
// RUN: exits 0 smtalloc races --profile %profiles/streams.toml %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%one: !dev.stream, %two: !dev.stream, %e: !dev.event, %g: !dev.event, %v: f32, %w: f32, %o: memref<f32>, %p: memref<f32>) {
  %s = memref.alloc() : memref<f32>
  memref.store %v, %s[] : memref<f32>
  "dev.map"(%one, %s, %o) : (!dev.stream, memref<f32>, memref<f32>) -> ()
  "dev.record"(%one, %e) : (!dev.stream, !dev.event) -> ()
  "dev.stream_wait"(%two, %e) : (!dev.stream, !dev.event) -> ()
  "dev.record"(%two, %g) : (!dev.stream, !dev.event) -> ()
  "dev.host_wait"(%g) : (!dev.event) -> ()
  memref.store %w, %s[] : memref<f32>
  "dev.copy"(%two, %s, %p) : (!dev.stream, memref<f32>, memref<f32>) -> ()
  return
}
