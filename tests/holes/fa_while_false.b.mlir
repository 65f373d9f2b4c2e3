func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %c: i1, %n: index, %m: index)  {
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c4 = arith.constant 4 : index
%c3 = arith.constant 3 : index
%a = memref.alloc() : memref<8xf32>
%b = memref.alloc() : memref<8xf32>
hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
%f = arith.constant false
scf.while : () -> () {
scf.condition(%f)
} do {
hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
scf.yield
}
hip.neg(%ctx) ins(%a : memref<8xf32>) outs(%o : memref<8xf32>)

return
}
