func.func @f(%ctx: !hip.context, %x: memref<8xi64>, %o: memref<8xi64>)  {
  %a = memref.alloc() : memref<8xi64>
  %b = memref.alloc() : memref<8xi64>
  hip.relu(%ctx) ins(%x : memref<8xi64>) outs(%a : memref<8xi64>)
  hip.neg(%ctx) ins(%x : memref<8xi64>) outs(%b : memref<8xi64>)
  hip.add(%ctx) ins(%a, %b : memref<8xi64>, memref<8xi64>) outs(%o : memref<8xi64>)
  return
}
