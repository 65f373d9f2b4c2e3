// A15. hip-ep runtime_loop.cpp: one host-mapped `iter`, stored once per iteration, as a loop.
// Right: one element of a pinned array per iteration.
// RUN: exits 0 smtalloc races %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%ctx: !hip.context, %o: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %size = arith.constant 32 : index
  %scratch = hip.get_host_scratch(%ctx, %size) : memref<?xi8>
  %iters = memref.view %scratch[%c0][] : memref<?xi8> to memref<4xi64>
  scf.for %i = %c0 to %c4 step %c1 {
    %v = arith.index_cast %i : index to i64
    memref.store %v, %iters[%i] : memref<4xi64>
    %iter = memref.subview %iters[%i] [1] [1] : memref<4xi64> to memref<1xi64, strided<[1], offset: ?>>
    %s = memref.subview %o[%i] [1] [1] : memref<4xf32> to memref<1xf32, strided<[1], offset: ?>>
    hip.body(%ctx) ins(%iter : memref<1xi64, strided<[1], offset: ?>>) outs(%s : memref<1xf32, strided<[1], offset: ?>>)
  }
  return
}
