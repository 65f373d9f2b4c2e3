func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %c: i1, %n: index, %o2: memref<8xf32>, %fn: () -> ())  {
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%y = memref.alloc() : memref<8xf32>
hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) 
"func.call_indirect"(%fn) : (() -> ()) -> ()
hip.relu(%ctx) ins(%y : memref<8xf32>) outs(%o : memref<8xf32>) 

return
}
