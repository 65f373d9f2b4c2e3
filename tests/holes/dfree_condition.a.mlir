func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %n: index, %c: i1, %v: f32) {
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%c64 = arith.constant 64 : index
%true = arith.constant true
%false = arith.constant false
%z = arith.cmpi eq, %n, %c0 : index
%nz = arith.xori %z, %true : i1
%a = memref.alloc() : memref<8xf32>
hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
scf.if %c {
bufferization.dealloc (%a : memref<8xf32>) if (%z)
hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%o : memref<8xf32>)
bufferization.dealloc (%a : memref<8xf32>) if (%z)
}
return
}
