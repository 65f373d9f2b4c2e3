func.func @f(%ctx: !hip.context, %in: memref<8xf32>, %out: memref<8xf32>, %scalar: memref<i64>, %n: i64) {
  hip.op(%ctx) ins(%in : memref<8xf32>) outs(%scalar : memref<i64>)
  hip.op(%ctx) ins(%scalar : memref<i64>) outs(%out : memref<8xf32>)
  return
}
