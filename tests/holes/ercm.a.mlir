func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %c: i1, %n: index, %o2: memref<8xf32>, %x2: memref<8xf32>, %x3: memref<8xf32>)  {
scf.execute_region {
cf.br ^bb1(%x2, %x3 : memref<8xf32>, memref<8xf32>)
^bb1(%q: memref<8xf32>, %r: memref<8xf32>):
%qd = memref.cast %q : memref<8xf32> to memref<?xf32>
%rd = memref.cast %r : memref<8xf32> to memref<?xf32>
hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%qd : memref<?xf32>)
hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%rd : memref<?xf32>)
hip.add(%ctx) ins(%qd, %rd : memref<?xf32>, memref<?xf32>) outs(%o : memref<8xf32>)
%a = memref.alloc() : memref<8xf32>
cf.cond_br %c, ^bb1(%a, %a : memref<8xf32>, memref<8xf32>), ^bb2
^bb2:
scf.yield
}

return
}
