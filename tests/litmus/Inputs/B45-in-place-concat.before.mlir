func.func @f(%ctx: !hip.context, %x: memref<4xf32>, %o: memref<8xf32>) {
  %cat = memref.alloc() : memref<8xf32>
  %part0 = memref.subview %cat[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  %part1 = memref.subview %cat[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  %t = memref.alloc() : memref<4xf32>
  hip.neg(%ctx) ins(%x : memref<4xf32>) outs(%part0 : memref<4xf32, strided<[1]>>)
  hip.exp(%ctx) ins(%x : memref<4xf32>) outs(%t : memref<4xf32>)
  hip.neg(%ctx) ins(%t : memref<4xf32>) outs(%part1 : memref<4xf32, strided<[1], offset: 4>>)
  hip.neg(%ctx) ins(%cat : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
