func.func @f(%ctx: !hip.context, %x: memref<8xf32>) -> memref<8xf32> {
  %c64 = arith.constant 64 : index
  %p = memref.alloc() : memref<96xi8>
  %a = memref.view %p[%c64][] : memref<96xi8> to memref<8xf32>
  hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  return %a : memref<8xf32>
}
