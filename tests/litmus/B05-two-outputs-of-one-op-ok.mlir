// B05. onnxruntime #21019: the buffer of the dead output goes to another output of the same op.
// Right: the two outputs lie side by side.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/B05-two-outputs-of-one-op.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>) {
  %m = memref.alloc() : memref<12xf32>
  %values = memref.reinterpret_cast %m to offset: [0], sizes: [8], strides: [1] : memref<12xf32> to memref<8xf32>
  %unused = memref.reinterpret_cast %m to offset: [8], sizes: [4], strides: [1] : memref<12xf32> to memref<4xf32, strided<[1], offset: 8>>
  hip.top_k(%ctx) ins(%x : memref<8xf32>) outs(%values, %unused : memref<8xf32>, memref<4xf32, strided<[1], offset: 8>>)
  hip.exp(%ctx) ins(%values : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
