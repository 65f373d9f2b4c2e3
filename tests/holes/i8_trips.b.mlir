func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %n: index, %c: i1, %v: f32) {
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%c64 = arith.constant 64 : index
%true = arith.constant true
%false = arith.constant false
%l = arith.constant 100 : i8
%h = arith.constant 127 : i8
%s = arith.constant 100 : i8
scf.for %i = %l to %h step %s : i8 {
%a = memref.alloc() : memref<8xf32>
memref.store %v, %a[%c0] : memref<8xf32>
hip.relu(%ctx) ins(%a : memref<8xf32>) outs(%o : memref<8xf32>)
}
return
}
