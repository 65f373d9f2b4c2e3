func.func @f(%ctx: !hip.context, %in: memref<1xi64>, %out: memref<1xi64>, %last: memref<1xi64>) {
  %s = memref.alloc() : memref<1xi64>
  hip.neg(%ctx) ins(%in : memref<1xi64>) outs(%s : memref<1xi64>)
  hip.neg(%ctx) ins(%s : memref<1xi64>) outs(%out : memref<1xi64>)
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : i64
  memref.store %c7, %s[%c0] : memref<1xi64>
  hip.neg(%ctx) ins(%s : memref<1xi64>) outs(%last : memref<1xi64>)
  return
}
