func.func @f(%ctx: !hip.context, %x: memref<512xf32>, %y: memref<256xf32>, %o: memref<512xf32>, %p: memref<256xf32>) {
  %big = memref.alloc() : memref<512xf32>
  hip.neg(%ctx) ins(%x : memref<512xf32>) outs(%big : memref<512xf32>)
  hip.neg(%ctx) ins(%big : memref<512xf32>) outs(%o : memref<512xf32>)
  %a = memref.alloc() : memref<256xf32>
  %b = memref.alloc() : memref<256xf32>
  hip.neg(%ctx) ins(%y : memref<256xf32>) outs(%a : memref<256xf32>)
  hip.neg(%ctx) ins(%y : memref<256xf32>) outs(%b : memref<256xf32>)
  hip.add(%ctx) ins(%a, %b : memref<256xf32>, memref<256xf32>) outs(%p : memref<256xf32>)
  return
}
