func.func @f(%ctx: !hip.context, %x: memref<8xi64>, %o: memref<8xi64>)  {
  %p = memref.alloc() : memref<132xi8>
  %c0 = arith.constant 0 : index
  %c = arith.constant 65 : index
  %a = memref.view %p[%c0][] : memref<132xi8> to memref<8xi64>
  %b = memref.view %p[%c][] : memref<132xi8> to memref<8xi64>
  hip.relu(%ctx) ins(%x : memref<8xi64>) outs(%a : memref<8xi64>)
  hip.neg(%ctx) ins(%x : memref<8xi64>) outs(%b : memref<8xi64>)
  hip.add(%ctx) ins(%a, %b : memref<8xi64>, memref<8xi64>) outs(%o : memref<8xi64>)
  return
}
