func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>)  {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %p = memref.alloca() : memref<128xi8>
  %a = memref.view %p[%c0][] : memref<128xi8> to memref<8xf32>
  %b = memref.view %p[%c64][] : memref<128xi8> to memref<8xf32>
  hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  hip.neg(%ctx) ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
  hip.neg(%ctx) ins(%b : memref<8xf32>) outs(%o : memref<8xf32>)
  memref.dealloc %a : memref<8xf32>
  return
}
