func.func @f(%ctx: !hip.context, %in: memref<8xf32>, %out: memref<8xf32>, %scalar: memref<i64>, %n: i64) {
  // The second store mends what the copy did, unless the copy is late.
  %a = memref.alloc() : memref<i64>
  memref.store %n, %a[] : memref<i64>
  memref.copy %scalar, %a : memref<i64> to memref<i64>
  memref.store %n, %a[] : memref<i64>
  hip.op(%ctx) ins(%a : memref<i64>) outs(%out : memref<8xf32>)
  return
}
