// RUN: smtalloc plan %s --policy happens-before | filecheck %s --check-prefix HB
// RUN: smtalloc plan %s --policy host-exclusive | filecheck %s --check-prefix HE
// RUN: smtalloc plan %s --policy happens-before --emit mlir | smtalloc verify %s -

// A readback waits for the stream: behind it the host may write where the device has read.

// HB: OPTIMAL, 8 bytes in 1 slot
// HE: OPTIMAL, 16 bytes in 2 slots
func.func @f(%ctx: !hip.context, %in: memref<1xi64>, %n: i64, %scalar: memref<i64>, %out: memref<1xi64>) {
  %s = memref.alloc() : memref<1xi64>
  hip.neg(%ctx) ins(%in : memref<1xi64>) outs(%s : memref<1xi64>)
  hip.neg(%ctx) ins(%s : memref<1xi64>) outs(%out : memref<1xi64>)
  %r = hip.readback_scalar(%ctx, %scalar : memref<i64>) -> i64
  %c0 = arith.constant 0 : index
  %t = memref.alloc() : memref<1xi64>
  memref.store %n, %t[%c0] : memref<1xi64>
  hip.neg(%ctx) ins(%t : memref<1xi64>) outs(%out : memref<1xi64>)
  return
}
