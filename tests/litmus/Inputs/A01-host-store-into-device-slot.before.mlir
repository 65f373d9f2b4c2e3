func.func @f(%ctx: !hip.context, %in: memref<1xi64>, %n: i64, %o: memref<8xf32>, %p: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<1xi64>
  hip.neg(%ctx) ins(%in : memref<1xi64>) outs(%a : memref<1xi64>)
  hip.expand(%ctx) ins(%a : memref<1xi64>) outs(%o : memref<8xf32>)
  %b = memref.alloc() : memref<1xi64>
  memref.store %n, %b[%c0] : memref<1xi64>
  hip.expand(%ctx) ins(%b : memref<1xi64>) outs(%p : memref<8xf32>)
  return
}
