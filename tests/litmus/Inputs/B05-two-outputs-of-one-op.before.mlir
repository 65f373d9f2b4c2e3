func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>) {
  %values = memref.alloc() : memref<8xf32>
  %unused = memref.alloc() : memref<4xf32>
  hip.top_k(%ctx) ins(%x : memref<8xf32>) outs(%values, %unused : memref<8xf32>, memref<4xf32>)
  hip.exp(%ctx) ins(%values : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
