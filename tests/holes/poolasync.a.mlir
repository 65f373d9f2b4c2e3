func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %c: i1, %n: index, %o2: memref<8xf32>)  {
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%s = arith.constant 256 : index
%p = hip.get_pool(%ctx, %s) {domain=0} : memref<256xi8>
%y = memref.view %p[%c0][] : memref<256xi8> to memref<8xf32>
hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) 
"async.call"(%ctx) {callee=@g} : (!hip.context) -> ()
hip.relu(%ctx) ins(%y : memref<8xf32>) outs(%o : memref<8xf32>) 

return
}
