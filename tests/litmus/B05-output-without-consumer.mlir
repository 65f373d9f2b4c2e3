// B05. onnxruntime #21019: an output that nobody reads has an empty life, so its buffer is given away at once.
// Goes wrong: hip.top_k still writes its indices, over %a, which is read later.
// RUN: exits 1 smtalloc verify %inputs/B05-output-without-consumer.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (lifetime-overlap)
// CHECK: lifetime-overlap: %a and %unused share AFTER's %a; hip.top_k at {{.*}} can overwrite %a before hip.exp at {{.*}} reads it: their lives overlap
func.func @f(%ctx: !hip.context, %x: memref<8xi64>, %o: memref<8xi64>, %p: memref<8xi64>) {
  %a = memref.alloc() : memref<8xi64>
  hip.neg(%ctx) ins(%x : memref<8xi64>) outs(%a : memref<8xi64>)
  hip.top_k(%ctx) ins(%x : memref<8xi64>) outs(%o, %a : memref<8xi64>, memref<8xi64>)
  hip.exp(%ctx) ins(%a : memref<8xi64>) outs(%p : memref<8xi64>)
  return
}
