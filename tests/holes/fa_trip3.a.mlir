func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %c: i1, %n: index, %m: index)  {
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c4 = arith.constant 4 : index
%c3 = arith.constant 3 : index
%p = memref.alloc() : memref<8xf32>
%q = memref.alloc() : memref<8xf32>
hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%p : memref<8xf32>)
hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%q : memref<8xf32>)
%r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%u = %p, %v = %q) -> (memref<8xf32>, memref<8xf32>) {
scf.yield %v, %u : memref<8xf32>, memref<8xf32>
}
hip.exp(%ctx) ins(%x : memref<8xf32>) outs(%p : memref<8xf32>)
hip.add(%ctx) ins(%r#0, %p : memref<8xf32>, memref<8xf32>) outs(%o : memref<8xf32>)

return
}
