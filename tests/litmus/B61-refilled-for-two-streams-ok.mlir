// B61. A source that two streams read is refilled.
// Right: it waits for all streams.
// RUN: exits 0 smtalloc races --profile %profiles/streams.toml %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%one: !dev.stream, %two: !dev.stream, %v: f32, %w: f32, %o: memref<f32>, %p: memref<f32>) {
  %s = memref.alloc() : memref<f32>
  memref.store %v, %s[] : memref<f32>
  "dev.map"(%one, %s, %o) : (!dev.stream, memref<f32>, memref<f32>) -> ()
  "dev.map"(%two, %s, %p) : (!dev.stream, memref<f32>, memref<f32>) -> ()
  "dev.sync_all"() : () -> ()
  memref.store %w, %s[] : memref<f32>
  "dev.map"(%one, %s, %o) : (!dev.stream, memref<f32>, memref<f32>) -> ()
  return
}
