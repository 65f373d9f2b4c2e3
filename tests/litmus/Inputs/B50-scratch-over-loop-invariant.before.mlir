func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %y0: memref<8xf32>, %y1: memref<8xf32>, %o: memref<8xf32>) {
  %inv = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%inv : memref<8xf32>)
  %scratch0 = memref.alloc() : memref<8xf32>
  %scratch1 = memref.alloc() : memref<8xf32>
  hip.mul(%ctx) ins(%y0, %inv : memref<8xf32>, memref<8xf32>) outs(%o : memref<8xf32>)
  hip.exp(%ctx) ins(%o : memref<8xf32>) outs(%scratch0 : memref<8xf32>)
  hip.neg(%ctx) ins(%scratch0 : memref<8xf32>) outs(%o : memref<8xf32>)

  hip.mul(%ctx) ins(%y1, %inv : memref<8xf32>, memref<8xf32>) outs(%o : memref<8xf32>)
  hip.exp(%ctx) ins(%o : memref<8xf32>) outs(%scratch1 : memref<8xf32>)
  hip.neg(%ctx) ins(%scratch1 : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
