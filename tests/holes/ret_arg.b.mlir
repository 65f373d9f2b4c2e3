func.func @f(%ctx: !hip.context, %x: memref<8xi64>) -> memref<8xi64> {
  %a = memref.alloc() : memref<8xi64>
  return %a : memref<8xi64>
}
