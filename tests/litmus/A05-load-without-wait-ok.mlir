// A05. hip-ep #357, #371, #370: the host loads what a queued kernel writes.
// Right: a readback waits for the stream, then reads.
// RUN: exits 0 smtalloc races %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%ctx: !hip.context, %in: memref<8xi64>, %o: memref<i64>) {
  %s = memref.alloc() : memref<i64>
  hip.reduce_sum(%ctx) ins(%in : memref<8xi64>) outs(%s : memref<i64>)
  %v = hip.readback_scalar(%ctx, %s : memref<i64>) -> i64
  memref.store %v, %o[] : memref<i64>
  return
}
