func.func @f(%ctx: !hip.context, %in: memref<64xi64>, %n: i64, %o: memref<64xi64>, %p: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<64xi64>
  hip.neg(%ctx) ins(%in : memref<64xi64>) outs(%a : memref<64xi64>)
  hip.neg(%ctx) ins(%a : memref<64xi64>) outs(%o : memref<64xi64>)
  %r = hip.readback_scalar(%ctx, %in : memref<64xi64>) -> i64
  %b = memref.alloc() : memref<2xi64>
  memref.store %n, %b[%c0] : memref<2xi64>
  memref.store %n, %b[%c1] : memref<2xi64>
  hip.neg(%ctx) ins(%b : memref<2xi64>) outs(%p : memref<2xi64>)
  return
}
