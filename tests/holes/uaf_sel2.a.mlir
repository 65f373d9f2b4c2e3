func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %c: i1)  {
%a = memref.alloc() : memref<8xf32>
%b = memref.alloc() : memref<8xf32>
hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
%s = arith.select %c, %a, %b : memref<8xf32>
memref.dealloc %a : memref<8xf32>
scf.if %c {} else {
hip.neg(%ctx) ins(%a : memref<8xf32>) outs(%o : memref<8xf32>)
}

return
}
