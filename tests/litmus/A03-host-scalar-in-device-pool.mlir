// A03. hip-ep Pipelines.cpp: OptimizeMemRefs merges a 2-element host scalar into a dead 64-element device slot, so the
// filter of MaterializeHostScalars (at most 16 elements) leaves it, and it ends in the device pool.
// Goes wrong: the host stores into memory that only the device addresses.
// RUN: exits 1 smtalloc verify %inputs/A03-host-scalar-in-device-pool.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (space-violation)
// CHECK: space-violation: {{.*}}memref.store
func.func @f(%ctx: !hip.context, %in: memref<64xi64>, %n: i64, %o: memref<64xi64>, %p: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %pool = hip.get_pool(%ctx, %c512) {domain_id = 0 : i64} : memref<?xi8>
  %a = memref.view %pool[%c0][] : memref<?xi8> to memref<64xi64>
  hip.neg(%ctx) ins(%in : memref<64xi64>) outs(%a : memref<64xi64>)
  hip.neg(%ctx) ins(%a : memref<64xi64>) outs(%o : memref<64xi64>)
  %r = hip.readback_scalar(%ctx, %in : memref<64xi64>) -> i64
  %b = memref.reinterpret_cast %a to offset: [0], sizes: [2], strides: [1] : memref<64xi64> to memref<2xi64>
  memref.store %n, %b[%c0] : memref<2xi64>
  memref.store %n, %b[%c1] : memref<2xi64>
  hip.neg(%ctx) ins(%b : memref<2xi64>) outs(%p : memref<2xi64>)
  return
}
