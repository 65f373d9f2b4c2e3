func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>)  {
  %a = memref.alloc() : memref<8xf32>
  hip.topk(%ctx) ins(%x : memref<8xf32>) outs(%a, %a : memref<8xf32>, memref<8xf32>)
  hip.neg(%ctx) ins(%a : memref<8xf32>) outs(%o : memref<8xf32>)
  hip.neg(%ctx) ins(%a : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
