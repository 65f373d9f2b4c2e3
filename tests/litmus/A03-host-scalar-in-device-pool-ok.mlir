// A03. hip-ep Pipelines.cpp: OptimizeMemRefs runs before MaterializeHostScalars.
// Right: in the other order the host scalar is in host scratch before anything is merged.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/A03-host-scalar-in-device-pool.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%ctx: !hip.context, %in: memref<64xi64>, %n: i64, %o: memref<64xi64>, %p: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c512 = arith.constant 512 : index
  %scratch = hip.get_host_scratch(%ctx, %c16) : memref<?xi8>
  %pool = hip.get_pool(%ctx, %c512) {domain_id = 0 : i64} : memref<?xi8>
  %a = memref.view %pool[%c0][] : memref<?xi8> to memref<64xi64>
  hip.neg(%ctx) ins(%in : memref<64xi64>) outs(%a : memref<64xi64>)
  hip.neg(%ctx) ins(%a : memref<64xi64>) outs(%o : memref<64xi64>)
  %r = hip.readback_scalar(%ctx, %in : memref<64xi64>) -> i64
  %b = memref.view %scratch[%c0][] : memref<?xi8> to memref<2xi64>
  memref.store %n, %b[%c0] : memref<2xi64>
  memref.store %n, %b[%c1] : memref<2xi64>
  hip.neg(%ctx) ins(%b : memref<2xi64>) outs(%p : memref<2xi64>)
  return
}
