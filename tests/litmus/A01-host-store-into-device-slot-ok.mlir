// A01. hip-ep #1389: OptimizeMemRefs gives a host scalar the slot of a dead device buffer.
// Right: a readback (of anything) stands between the last read of %a and the store of %b.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/A01-host-store-into-device-slot-ok.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
// CHECK: shared: %a before %b: hip.expand at {{.*}}, then memref.store at {{.*}} ({{.*}} waits for {{.*}})
func.func @f(%ctx: !hip.context, %in: memref<1xi64>, %n: i64, %o: memref<8xf32>, %p: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<1xi64>
  hip.neg(%ctx) ins(%in : memref<1xi64>) outs(%a : memref<1xi64>)
  hip.expand(%ctx) ins(%a : memref<1xi64>) outs(%o : memref<8xf32>)
  %r = hip.readback_scalar(%ctx, %in : memref<1xi64>) -> i64
  memref.store %n, %a[%c0] : memref<1xi64>
  hip.expand(%ctx) ins(%a : memref<1xi64>) outs(%p : memref<8xf32>)
  return
}
