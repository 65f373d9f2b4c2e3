// B61. 1bit-MONSTER #2213: a pinned source is refilled right after the asynchronous copy from it was issued (measured:
// about 100 % corrupt when it is refilled within 1 us).
// Goes wrong: the second store lands before the stream has copied the first value.
// RUN: exits 1 smtalloc races %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %pinned: memref.store at {{.*}}:14:3 does not wait for memref.copy at {{.*}}:13:3, and may run first
func.func @f(%ctx: !hip.context, %v: f32, %w: f32, %d: memref<f32>, %e: memref<f32>) {
  %c0 = arith.constant 0 : index
  %size = arith.constant 64 : index
  %scratch = hip.get_host_scratch(%ctx, %size) : memref<?xi8>
  %pinned = memref.view %scratch[%c0][] : memref<?xi8> to memref<f32>
  memref.store %v, %pinned[] : memref<f32>
  memref.copy %pinned, %d : memref<f32> to memref<f32>
  memref.store %w, %pinned[] : memref<f32>
  memref.copy %pinned, %e : memref<f32> to memref<f32>
  return
}
