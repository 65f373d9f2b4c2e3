func.func @f(%ctx: !hip.context, %x: memref<64xf32>, %o: memref<8xf32>)  {
  %a = memref.alloc() : memref<64xf32>
  hip.relu(%ctx) ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %vs = memref.subview %a[8] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: 8>>
  %v = memref.cast %vs : memref<8xf32, strided<[1], offset: 8>> to memref<8xf32, strided<[1], offset: ?>>
  hip.relu(%ctx) ins(%v : memref<8xf32, strided<[1], offset: ?>>) outs(%o : memref<8xf32>)
  return
}
