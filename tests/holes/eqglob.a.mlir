memref.global "private" constant @k : memref<8xf32> = dense<1.0>
memref.global "private" constant @l : memref<8xf32> = dense<1.0>
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %c: i1, %n: index, %o2: memref<8xf32>)  {
%k = memref.get_global @k : memref<8xf32>
%l = memref.get_global @l : memref<8xf32>
%a = memref.alloc() : memref<8xf32>
memref.copy %k, %a : memref<8xf32> to memref<8xf32>
memref.copy %l, %a : memref<8xf32> to memref<8xf32>
hip.add(%ctx) ins(%a, %a : memref<8xf32>, memref<8xf32>) outs(%o : memref<8xf32>) 

return
}
