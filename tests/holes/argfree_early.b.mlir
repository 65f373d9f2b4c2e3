func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %c: i1, %n: index)  {
hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%o : memref<8xf32>)
hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%o : memref<8xf32>)
memref.dealloc %x : memref<8xf32>

return
}
