func.func @other_shape(%ctx: !hip.context, %x: memref<64xf32>, %y: memref<32xf32>, %o: memref<64xf32>) -> memref<32xf32> {
  %a = memref.alloc() : memref<64xf32>
  hip.neg(%ctx) ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%o : memref<64xf32>)
  %b = memref.alloc() : memref<32xf32>
  hip.neg(%ctx) ins(%y : memref<32xf32>) outs(%b : memref<32xf32>)
  memref.dealloc %a : memref<64xf32>
  return %b : memref<32xf32>
}
func.func @cast(%ctx: !hip.context, %x: memref<64xf32>, %o: memref<64xf32>) -> memref<?xf32> {
  %a = memref.alloc() : memref<64xf32>
  hip.neg(%ctx) ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%o : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  hip.exp(%ctx) ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  %r = memref.cast %b : memref<64xf32> to memref<?xf32>
  memref.dealloc %a : memref<64xf32>
  return %r : memref<?xf32>
}
