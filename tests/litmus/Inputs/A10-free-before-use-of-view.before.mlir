func.func @f(%ctx: !hip.context, %in: memref<64xf32>, %o: memref<32xf32>) {
  %s = memref.alloc() : memref<64xf32>
  hip.neg(%ctx) ins(%in : memref<64xf32>) outs(%s : memref<64xf32>)
  %v = memref.subview %s[32] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: 32>>
  hip.slice(%ctx) ins(%v : memref<32xf32, strided<[1], offset: 32>>) outs(%o : memref<32xf32>)
  return
}
