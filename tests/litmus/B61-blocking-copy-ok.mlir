// B61. 1bit-MONSTER #2213: a pinned source is refilled right after a copy from it.
// Right: the copy blocks the host until it is over.
// RUN: exits 0 smtalloc races --profile %profiles/streams.toml %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%q: !dev.stream, %v: f32, %w: f32, %o: memref<f32>, %p: memref<f32>) {
  %s = memref.alloc() : memref<f32>
  memref.store %v, %s[] : memref<f32>
  "dev.copy_sync"(%q, %s, %o) : (!dev.stream, memref<f32>, memref<f32>) -> ()
  memref.store %w, %s[] : memref<f32>
  "dev.copy"(%q, %s, %p) : (!dev.stream, memref<f32>, memref<f32>) -> ()
  return
}
