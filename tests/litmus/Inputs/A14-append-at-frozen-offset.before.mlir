func.func @f(%ctx: !hip.context, %x: memref<4xf32>, %y: memref<4xf32>, %o: memref<8xf32>) {
  %part0 = memref.alloc() : memref<4xf32>
  hip.neg(%ctx) ins(%x : memref<4xf32>) outs(%part0 : memref<4xf32>)
  %part1 = memref.alloc() : memref<4xf32>
  hip.neg(%ctx) ins(%y : memref<4xf32>) outs(%part1 : memref<4xf32>)
  hip.concat(%ctx) ins(%part0, %part1 : memref<4xf32>, memref<4xf32>) outs(%o : memref<8xf32>)
  return
}
