func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %c: i1, %n: index, %m: index)  {
%a = memref.alloc() : memref<8xf32>
%t = arith.constant true
%nc = arith.xori %c, %t : i1
scf.if %c {
hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
}
scf.if %nc {
hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
}
scf.if %c {
hip.neg(%ctx) ins(%a : memref<8xf32>) outs(%o : memref<8xf32>)
}

return
}
