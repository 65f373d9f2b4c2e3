func.func @f(%ctx: !hip.context, %v: f32, %o: memref<8xf32>, %n: index, %q: memref<100xf32>)  {
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c4 = arith.constant 4 : index
scf.for %i = %c0 to %n step %c1 {
%s = memref.alloca() : memref<1xf32>
%v2 = memref.load %q[%i] : memref<100xf32>
memref.store %v2, %s[%c0] : memref<1xf32>
hip.add(%ctx) ins(%s : memref<1xf32>) outs(%o : memref<8xf32>)
}
return
}
