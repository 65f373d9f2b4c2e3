// B05. onnxruntime #21019: the buffer of the dead output goes to another output of the same op.
// Goes wrong: hip.top_k writes both results into the same bytes, and the values are read.
// RUN: exits 1 smtalloc verify %inputs/B05-two-outputs-of-one-op.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (lifetime-overlap)
// CHECK: lifetime-overlap: %values and %unused share AFTER's %values; hip.top_k at {{.*}} can overwrite %values before hip.exp at {{.*}} reads it: their lives overlap
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>) {
  %values = memref.alloc() : memref<8xf32>
  %unused = memref.reinterpret_cast %values to offset: [0], sizes: [4], strides: [1] : memref<8xf32> to memref<4xf32>
  hip.top_k(%ctx) ins(%x : memref<8xf32>) outs(%values, %unused : memref<8xf32>, memref<4xf32>)
  hip.exp(%ctx) ins(%values : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
