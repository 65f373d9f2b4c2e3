func.func @f(%ctx: !hip.context, %x: memref<8xi64>, %o: memref<8xi64>)  {
  %c0 = arith.constant 0 : i64
  %a = hip.get_constant(%ctx, %c0) : memref<8xi64>
  hip.relu(%ctx) ins(%x : memref<8xi64>) outs(%a : memref<8xi64>)
  hip.neg(%ctx) ins(%a : memref<8xi64>) outs(%o : memref<8xi64>)
  return
}
