func.func @f(%ctx: !hip.context, %x: memref<8xf32>) -> memref<8xf32> {
  %a = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  %b = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
  return %b : memref<8xf32>
}
