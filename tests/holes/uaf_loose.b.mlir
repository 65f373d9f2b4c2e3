func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %c: i1)  {
%a = memref.alloc() : memref<8xf32>
hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
hip.neg(%ctx) ins(%a : memref<8xf32>) outs(%o : memref<8xf32>)
scf.if %c { memref.dealloc %a : memref<8xf32> }
return
}
