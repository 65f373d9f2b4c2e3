func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %c: i1, %n: index, %o2: memref<8xf32>) {
cf.br ^bb2
^bb1:
hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>) 
hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>) 
hip.add(%ctx) ins(%a, %a : memref<8xf32>, memref<8xf32>) outs(%o : memref<8xf32>) 
return
^bb2:
%a = memref.alloc() : memref<8xf32>
cf.br ^bb1
}
