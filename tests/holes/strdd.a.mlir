func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %c: i1, %n: index, %o2: memref<8xf32>)  {
%a = memref.alloc(%n) : memref<?x4xf32, strided<[8,1]>>
"y.u"(%a) : (memref<?x4xf32, strided<[8,1]>>) -> ()

return
}
