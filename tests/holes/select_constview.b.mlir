func.func @f(%ctx: !hip.context, %c: i1, %x: memref<64xf32>, %o: memref<8xf32>)  {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  hip.relu(%ctx) ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  hip.neg(%ctx) ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  %s = arith.select %c, %a, %b : memref<64xf32>
  %v = memref.subview %s[0] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1]>>
  hip.relu(%ctx) ins(%v : memref<8xf32, strided<[1]>>) outs(%o : memref<8xf32>)
  return
}
