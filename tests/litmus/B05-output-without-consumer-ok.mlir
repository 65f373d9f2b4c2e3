// B05. onnxruntime #21019: an output that nobody reads has an empty life, so its buffer is given away at once.
// Right: the dead output occupies its own op: it shares only with what is dead there.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/B05-output-without-consumer-ok.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
// CHECK: shared: %a before %unused
func.func @f(%ctx: !hip.context, %x: memref<8xi64>, %o: memref<8xi64>, %p: memref<8xi64>) {
  %a = memref.alloc() : memref<8xi64>
  hip.neg(%ctx) ins(%x : memref<8xi64>) outs(%a : memref<8xi64>)
  hip.exp(%ctx) ins(%a : memref<8xi64>) outs(%p : memref<8xi64>)
  hip.top_k(%ctx) ins(%x : memref<8xi64>) outs(%o, %a : memref<8xi64>, memref<8xi64>)
  return
}
