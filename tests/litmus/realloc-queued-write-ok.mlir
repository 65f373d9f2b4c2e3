// memref.realloc copies on the host, at once (MLIR: memref.realloc; C: realloc).
// Right: the host waits for the kernel first.
// RUN: exits 0 smtalloc races %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %s: memref<i64>, %o: memref<16xf32>) {
  %a = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  %v = hip.readback_scalar(%ctx, %s : memref<i64>) -> i64
  %b = memref.realloc %a : memref<8xf32> to memref<16xf32>
  hip.fill(%ctx) ins(%b : memref<16xf32>) outs(%o : memref<16xf32>)
  return
}
