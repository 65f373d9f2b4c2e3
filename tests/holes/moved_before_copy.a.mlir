func.func @f(%ctx: !hip.context, %in: memref<8xf32>, %out: memref<8xf32>, %scalar: memref<i64>, %n: i64) {
  // In program order both hold the same number; the copy is still queued when the host loads.
  %a = memref.alloc() : memref<i64>
  %s = hip.readback_scalar(%ctx, %scalar : memref<i64>) -> i64
  memref.copy %scalar, %a : memref<i64> to memref<i64>
  hip.op(%ctx) ins(%a : memref<i64>) outs(%out : memref<8xf32>)
  %b = memref.alloc() : memref<i64>
  memref.store %s, %b[] : memref<i64>
  %t = memref.load %a[] : memref<i64>
  return
}
