func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %c: i1, %n: index, %o2: memref<8xf32>)  {
%cell = memref.alloc() : memref<memref<8xf32>>
%a = memref.alloc() : memref<8xf32>
%b = memref.alloc() : memref<8xf32>
hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%b : memref<8xf32>) 
hip.neg(%ctx) ins(%b : memref<8xf32>) outs(%o : memref<8xf32>) 
memref.store %a, %cell[] : memref<memref<8xf32>>
%m = memref.load %cell[] : memref<memref<8xf32>>
hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%m : memref<8xf32>) 
hip.neg(%ctx) ins(%m : memref<8xf32>) outs(%o2 : memref<8xf32>) 

return
}
