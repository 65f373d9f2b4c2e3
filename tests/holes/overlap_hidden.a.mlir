func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>)  {
  %slot = memref.alloc() : memref<16xf32>
  %b = memref.reinterpret_cast %slot to offset: [8], sizes: [8], strides: [1] : memref<16xf32> to memref<8xf32, strided<[1], offset: 8>>
  %a = memref.cast %b : memref<8xf32, strided<[1], offset: 8>> to memref<8xf32, strided<[1], offset: ?>>
  hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32, strided<[1], offset: ?>>)
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%b : memref<8xf32, strided<[1], offset: 8>>)
  hip.add(%ctx) ins(%a, %b : memref<8xf32, strided<[1], offset: ?>>, memref<8xf32, strided<[1], offset: 8>>) outs(%o : memref<8xf32>)
  return
}
