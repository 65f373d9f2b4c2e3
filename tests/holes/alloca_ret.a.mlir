func.func @f(%ctx: !hip.context, %x: memref<8xi64>) -> memref<8xi64> {
  %a = memref.alloca() : memref<8xi64>
  hip.relu(%ctx) ins(%x : memref<8xi64>) outs(%a : memref<8xi64>)
  return %a : memref<8xi64>
}
