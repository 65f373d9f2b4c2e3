func.func @f(%ctx: !hip.context, %in: memref<8xf32>, %o: memref<4xf32>) {
  %s = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%in : memref<8xf32>) outs(%s : memref<8xf32>)
  %v = memref.subview %s[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  hip.neg(%ctx) ins(%v : memref<4xf32, strided<[1], offset: 4>>) outs(%o : memref<4xf32>)
  return
}
