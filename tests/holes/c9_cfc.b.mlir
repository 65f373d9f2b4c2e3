func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %n: index, %c: i1)  {
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%a = memref.alloc() : memref<4xf32>
%b = memref.alloc() : memref<8xi32>
cf.cond_br %c, ^bb1, ^bb2
^bb1:
hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<4xf32>)
hip.neg(%ctx) ins(%a : memref<4xf32>) outs(%o : memref<8xf32>)
cf.br ^bb3
^bb2:
hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%b : memref<8xi32>)
hip.neg(%ctx) ins(%b : memref<8xi32>) outs(%o : memref<8xf32>)
cf.br ^bb3
^bb3:

return
}
