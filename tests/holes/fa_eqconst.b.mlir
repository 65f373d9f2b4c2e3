func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %v: f32, %w: f32, %o: memref<8xf32>, %n: index, %d: memref<1xf32>)  {
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c4 = arith.constant 4 : index
%c3 = arith.constant 3 : index
%a = memref.alloc() : memref<1xf32>
%b = memref.alloc() : memref<1xf32>
%p = arith.constant 1.0 : f32
%q = arith.constant 1.0 : f32
memref.store %p, %a[%c0] : memref<1xf32>
hip.relu(%ctx) ins(%a : memref<1xf32>) outs(%d : memref<1xf32>)
memref.store %q, %b[%c0] : memref<1xf32>
hip.relu(%ctx) ins(%b : memref<1xf32>) outs(%d : memref<1xf32>)

return
}
