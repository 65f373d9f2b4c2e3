func.func @f(%ctx: !hip.context, %in: memref<8xf32>, %out: memref<8xf32>, %scalar: memref<i64>, %n: i64) {
  %a = memref.alloc() : memref<i64>
  memref.store %n, %a[] : memref<i64>
  %b = memref.alloc() : memref<i64>
  memref.copy %scalar, %b : memref<i64> to memref<i64>
  %c = memref.alloc() : memref<i64>
  memref.store %n, %c[] : memref<i64>
  hip.op(%ctx) ins(%a : memref<i64>) outs(%out : memref<8xf32>)
  return
}
