func.func @f(%ctx: !hip.context, %x: memref<8xi64>) -> memref<8xi64> {
  return %x : memref<8xi64>
}
