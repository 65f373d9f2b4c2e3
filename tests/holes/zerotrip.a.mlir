func.func @f(%ctx: !hip.context, %x: memref<?xf32>, %o: memref<?xf32>, %n: index, %f: f32, %q: memref<1xf32>)  {
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%a = memref.alloc(%n) : memref<?xf32>
hip.relu(%ctx) ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
hip.relu(%ctx) ins(%a : memref<?xf32>) outs(%o : memref<?xf32>)
scf.for %i = %c0 to %n step %c1 {
%r = hip.readback_f32(%ctx) ins(%q : memref<1xf32>) : f32
}
linalg.fill ins(%f : f32) outs(%a : memref<?xf32>)
hip.relu(%ctx) ins(%a : memref<?xf32>) outs(%o : memref<?xf32>)

return
}
