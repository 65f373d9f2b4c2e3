// B61. A source that two streams read is refilled.
// Goes wrong: the host waits for one of them only.
// RUN: exits 1 smtalloc races --profile %profiles/streams.toml %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %s: memref.store at {{.*}} does not wait for dev.map at {{.*}}:10:3, and may run first
func.func @f(%one: !dev.stream, %two: !dev.stream, %v: f32, %w: f32, %o: memref<f32>, %p: memref<f32>) {
  %s = memref.alloc() : memref<f32>
  memref.store %v, %s[] : memref<f32>
  "dev.map"(%one, %s, %o) : (!dev.stream, memref<f32>, memref<f32>) -> ()
  "dev.map"(%two, %s, %p) : (!dev.stream, memref<f32>, memref<f32>) -> ()
  "dev.sync"(%one) : (!dev.stream) -> ()
  memref.store %w, %s[] : memref<f32>
  "dev.map"(%one, %s, %o) : (!dev.stream, memref<f32>, memref<f32>) -> ()
  return
}
