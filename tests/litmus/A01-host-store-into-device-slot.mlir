// A01. hip-ep #1389: OptimizeMemRefs gives a host scalar the slot of a dead device buffer.
// Goes wrong: the host stores %b at once, while hip.expand, which reads %a from the same bytes, is still queued.
// RUN: exits 1 smtalloc verify %inputs/A01-host-store-into-device-slot.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %a and %b share AFTER's %a; memref.store at {{.*}} can overwrite %a before hip.expand at {{.*}} reads it: the host runs ahead of the queue
func.func @f(%ctx: !hip.context, %in: memref<1xi64>, %n: i64, %o: memref<8xf32>, %p: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<1xi64>
  hip.neg(%ctx) ins(%in : memref<1xi64>) outs(%a : memref<1xi64>)
  hip.expand(%ctx) ins(%a : memref<1xi64>) outs(%o : memref<8xf32>)
  memref.store %n, %a[%c0] : memref<1xi64>
  hip.expand(%ctx) ins(%a : memref<1xi64>) outs(%p : memref<8xf32>)
  return
}
