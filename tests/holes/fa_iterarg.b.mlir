func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %v: f32, %w: f32, %o: memref<8xf32>, %n: index, %d: memref<1xf32>, %q0: memref<1xf32>)  {
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c4 = arith.constant 4 : index
%c3 = arith.constant 3 : index
%z = scf.for %i = %c0 to %n step %c1 iter_args(%p = %v) -> f32 {
%s = memref.alloc() : memref<1xf32>
memref.store %p, %s[%c0] : memref<1xf32>
hip.relu(%ctx) ins(%s : memref<1xf32>) outs(%d : memref<1xf32>)
scf.yield %p : f32 }
return
}
