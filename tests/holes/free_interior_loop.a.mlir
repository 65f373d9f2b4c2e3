func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %n: index, %c: i1, %v: f32) {
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%c64 = arith.constant 64 : index
%true = arith.constant true
%false = arith.constant false
scf.for %i = %c0 to %n step %c1 {
%P = memref.alloc() {alignment = 64} : memref<96xi8>
%a = memref.view %P[%c64][] : memref<96xi8> to memref<8xf32>
hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
hip.relu(%ctx) ins(%a : memref<8xf32>) outs(%o : memref<8xf32>)
memref.dealloc %a : memref<8xf32>
}
return
}
