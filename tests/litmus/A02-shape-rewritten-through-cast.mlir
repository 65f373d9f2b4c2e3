// A02. hip-ep MaterializeHostScalars.cpp, example in its header: one allocation is a shape, then an index.
// Goes wrong: the host stores through the cast while hip.expand has yet to read the shape on the device.
// RUN: exits 1 smtalloc races %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %a: memref.store at {{.*}}:16:3 does not wait for hip.expand at {{.*}}:14:3, and may run first
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %d0: i64, %d1: i64, %i: i64, %o: memref<2x4x8xf32>, %p: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = memref.alloc() : memref<3xi64>
  memref.store %d0, %a[%c0] : memref<3xi64>
  memref.store %d1, %a[%c1] : memref<3xi64>
  memref.store %d1, %a[%c2] : memref<3xi64>
  hip.expand(%ctx) ins(%x, %a : memref<8xf32>, memref<3xi64>) outs(%o : memref<2x4x8xf32>)
  %rc = memref.reinterpret_cast %a to offset: [0], sizes: [1], strides: [1] : memref<3xi64> to memref<1xi64>
  memref.store %i, %rc[%c0] : memref<1xi64>
  hip.slice(%ctx) ins(%x, %rc : memref<8xf32>, memref<1xi64>) outs(%p : memref<8xf32>)
  return
}
