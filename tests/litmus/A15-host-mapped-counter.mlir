// A15. hip-ep runtime_loop.cpp: one host-mapped `iter`, stored once per iteration (two here, unrolled).
// Goes wrong: the kernels are queued, the host stores the next value before the first kernel reads.
// RUN: exits 1 smtalloc races %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %{{.*}}: memref.store at {{.*}}:15:3 does not wait for hip.body at {{.*}}:14:3, and may run first
func.func @f(%ctx: !hip.context, %o: memref<8xf32>, %p: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %size = arith.constant 8 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %scratch = hip.get_host_scratch(%ctx, %size) : memref<?xi8>
  %iter = memref.view %scratch[%c0][] : memref<?xi8> to memref<i64>
  memref.store %zero, %iter[] : memref<i64>
  hip.body(%ctx) ins(%iter : memref<i64>) outs(%o : memref<8xf32>)
  memref.store %one, %iter[] : memref<i64>
  hip.body(%ctx) ins(%iter : memref<i64>) outs(%p : memref<8xf32>)
  return
}
