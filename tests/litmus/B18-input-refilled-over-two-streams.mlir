// B18. llama.cpp #8897: an input is refilled while a copy of it is queued. Over two streams.
// Goes wrong: the host waits for %two, which has not waited for %one.
// RUN: exits 1 smtalloc races --profile %profiles/streams.toml %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %s: memref.store at {{.*}} does not wait for dev.map at {{.*}}, and may run first
func.func @f(%one: !dev.stream, %two: !dev.stream, %e: !dev.event, %g: !dev.event, %v: f32, %w: f32, %o: memref<f32>, %p: memref<f32>) {
  %s = memref.alloc() : memref<f32>
  memref.store %v, %s[] : memref<f32>
  "dev.map"(%one, %s, %o) : (!dev.stream, memref<f32>, memref<f32>) -> ()
  "dev.record"(%one, %e) : (!dev.stream, !dev.event) -> ()
  "dev.record"(%two, %g) : (!dev.stream, !dev.event) -> ()
  "dev.host_wait"(%g) : (!dev.event) -> ()
  memref.store %w, %s[] : memref<f32>
  "dev.copy"(%two, %s, %p) : (!dev.stream, memref<f32>, memref<f32>) -> ()
  return
}
