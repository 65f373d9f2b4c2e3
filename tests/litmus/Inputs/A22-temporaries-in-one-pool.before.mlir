func.func @f(%ctx: !hip.context, %x: memref<64xf32>, %o: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  hip.neg(%ctx) ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  hip.add(%ctx) ins(%a, %x : memref<64xf32>, memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  hip.neg(%ctx) ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  hip.add(%ctx) ins(%b, %c : memref<64xf32>, memref<64xf32>) outs(%o : memref<64xf32>)
  return
}
