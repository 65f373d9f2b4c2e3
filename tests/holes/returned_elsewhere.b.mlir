func.func @f(%ctx: !hip.context, %in: memref<8xf32>, %out: memref<8xf32>, %scalar: memref<i64>, %n: i64) -> memref<i64> {
  %a = memref.alloc() : memref<i64>
  memref.store %n, %a[] : memref<i64>
  %b = memref.alloc() : memref<i64>
  hip.op(%ctx) ins(%scalar : memref<i64>) outs(%b : memref<i64>)
  return %b : memref<i64>
}
