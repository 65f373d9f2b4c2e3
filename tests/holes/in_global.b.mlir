memref.global @g : memref<8xf32>
func.func private @ext()
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %n: index, %c: i1, %v: f32) {
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%c64 = arith.constant 64 : index
%true = arith.constant true
%false = arith.constant false
%g = memref.get_global @g : memref<8xf32>
%t = memref.alloc() : memref<8xf32>
scf.if %c {
}
hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%t : memref<8xf32>)
func.call @ext() : () -> ()
hip.relu(%ctx) ins(%t : memref<8xf32>) outs(%o : memref<8xf32>)
hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%g : memref<8xf32>)
return
}
