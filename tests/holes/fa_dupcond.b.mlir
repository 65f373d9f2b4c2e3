func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %c: i1, %n: index, %m: index)  {
%a = memref.alloc() : memref<8xf32>
%b = memref.alloc() : memref<8xf32>
%c1 = arith.cmpi eq, %n, %m : index
%c2 = arith.cmpi eq, %n, %m : index
scf.if %c1 {
hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
}
scf.if %c2 {} else {
hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
}
scf.if %c1 {
hip.neg(%ctx) ins(%a : memref<8xf32>) outs(%o : memref<8xf32>)
}

return
}
