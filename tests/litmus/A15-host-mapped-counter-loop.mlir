// A15. hip-ep runtime_loop.cpp: one host-mapped `iter`, stored once per iteration, as a loop.
// Goes wrong: the store of the next iteration lands before the queued kernel of this one has read (back edge).
// RUN: exits 1 smtalloc races %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %iter: memref.store at {{.*}}:15:5 does not wait for hip.body at {{.*}}:17:5, and may run first
func.func @f(%ctx: !hip.context, %o: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %size = arith.constant 8 : index
  %scratch = hip.get_host_scratch(%ctx, %size) : memref<?xi8>
  %iter = memref.view %scratch[%c0][] : memref<?xi8> to memref<i64>
  scf.for %i = %c0 to %c4 step %c1 {
    %v = arith.index_cast %i : index to i64
    memref.store %v, %iter[] : memref<i64>
    %s = memref.subview %o[%i] [1] [1] : memref<4xf32> to memref<1xf32, strided<[1], offset: ?>>
    hip.body(%ctx) ins(%iter : memref<i64>) outs(%s : memref<1xf32, strided<[1], offset: ?>>)
  }
  return
}
