func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %c: i1, %n: index, %o2: memref<8xf32>)  {
scf.execute_region {
%a = memref.alloc() : memref<8xf32>
cf.br ^bb1(%a : memref<8xf32>)
^bb1(%q: memref<8xf32>):
hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%q : memref<8xf32>) 
hip.neg(%ctx) ins(%q : memref<8xf32>) outs(%o : memref<8xf32>) 
scf.yield
}

return
}
