func.func @f(%ctx: !hip.context, %x: memref<8xi64>, %o: memref<8xi64>)  {
  %a = memref.alloc() : memref<8xi64>
  memref.copy %x, %a : memref<8xi64> to memref<8xi64>
  memref.copy %x, %a : memref<8xi64> to memref<8xi64>
  hip.add(%ctx) ins(%a, %a : memref<8xi64>, memref<8xi64>) outs(%o : memref<8xi64>)
  return
}
