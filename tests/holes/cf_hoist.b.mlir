func.func @f(%ctx: !hip.context, %v: f32, %o: memref<8xf32>, %n: index, %q: memref<100xf32>) {
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c4 = arith.constant 4 : index
cf.br ^l(%c0: index)
^l(%i: index):
%s = memref.alloc() : memref<1xf32>
%v2 = memref.load %q[%i] : memref<100xf32>
memref.store %v2, %s[%c0] : memref<1xf32>
hip.add(%ctx) ins(%s : memref<1xf32>) outs(%o : memref<8xf32>)
%j = arith.addi %i, %c1 : index
%cc = arith.cmpi slt, %j, %n : index
cf.cond_br %cc, ^l(%j: index), ^e
^e:
return
}
