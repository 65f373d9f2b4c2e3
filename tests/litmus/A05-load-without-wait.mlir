// A05. hip-ep #357, #371, #370: the host loads what a queued kernel writes.
// Goes wrong: nothing waits for hip.reduce_sum, so the load sees what the memory held before.
// RUN: exits 1 smtalloc races %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %s: memref.load at {{.*}} does not wait for hip.reduce_sum at {{.*}}, and may run first
func.func @f(%ctx: !hip.context, %in: memref<8xi64>, %o: memref<i64>) {
  %s = memref.alloc() : memref<i64>
  hip.reduce_sum(%ctx) ins(%in : memref<8xi64>) outs(%s : memref<i64>)
  %v = memref.load %s[] : memref<i64>
  memref.store %v, %o[] : memref<i64>
  return
}
