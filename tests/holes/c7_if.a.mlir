func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %n: index, %c: i1)  {
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%P = memref.alloc() {alignment=64} : memref<32xi8>
%a = memref.view %P[%c0][] : memref<32xi8> to memref<4xf32>
%b = memref.view %P[%c0][] : memref<32xi8> to memref<8xi32>
scf.if %c {
hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<4xf32>)
hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%b : memref<8xi32>)
hip.neg(%ctx) ins(%a, %b : memref<4xf32>, memref<8xi32>) outs(%o : memref<8xf32>)
}
return
}
