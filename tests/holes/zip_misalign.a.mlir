func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>)  {
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  %d = memref.cast %a : memref<8xf32> to memref<?xf32>
  hip.exp(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
  hip.sum4(%ctx) ins(%a, %d, %b, %b : memref<8xf32>, memref<?xf32>, memref<8xf32>, memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
