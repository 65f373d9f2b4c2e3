// B61. 1bit-MONSTER #2213: a pinned source is refilled right after a copy from it.
// Goes wrong: the copy is asynchronous.
// RUN: exits 1 smtalloc races --profile %profiles/streams.toml %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %s: memref.store at {{.*}} does not wait for dev.copy at {{.*}}, and may run first
func.func @f(%q: !dev.stream, %v: f32, %w: f32, %o: memref<f32>, %p: memref<f32>) {
  %s = memref.alloc() : memref<f32>
  memref.store %v, %s[] : memref<f32>
  "dev.copy"(%q, %s, %o) : (!dev.stream, memref<f32>, memref<f32>) -> ()
  memref.store %w, %s[] : memref<f32>
  "dev.copy"(%q, %s, %p) : (!dev.stream, memref<f32>, memref<f32>) -> ()
  return
}
