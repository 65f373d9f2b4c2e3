func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %c: i1, %n: index, %o2: memref<8xf32>)  {
%a = memref.alloc() : memref<4x4xf32, affine_map<(d0,d1)->(d1,d0)>>
"y.u"(%a) : (memref<4x4xf32, affine_map<(d0,d1)->(d1,d0)>>) -> ()

return
}
