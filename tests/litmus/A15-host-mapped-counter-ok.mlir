// A15. hip-ep runtime_loop.cpp: one host-mapped `iter`, stored once per iteration (two here, unrolled).
// Right: the host stores into a pinned array with one element per iteration, and a queued copy brings it to `iter`.
// RUN: exits 0 smtalloc races %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%ctx: !hip.context, %o: memref<8xf32>, %p: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %size = arith.constant 16 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %scratch = hip.get_host_scratch(%ctx, %size) : memref<?xi8>
  %cpu0 = memref.view %scratch[%c0][] : memref<?xi8> to memref<i64>
  %cpu1 = memref.view %scratch[%c8][] : memref<?xi8> to memref<i64>
  %iter = memref.alloc() : memref<i64>
  memref.store %zero, %cpu0[] : memref<i64>
  memref.copy %cpu0, %iter : memref<i64> to memref<i64>
  hip.body(%ctx) ins(%iter : memref<i64>) outs(%o : memref<8xf32>)
  memref.store %one, %cpu1[] : memref<i64>
  memref.copy %cpu1, %iter : memref<i64> to memref<i64>
  hip.body(%ctx) ins(%iter : memref<i64>) outs(%p : memref<8xf32>)
  return
}
