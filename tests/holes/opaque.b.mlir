func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %c: i1, %n: index, %o2: memref<8xf32>)  {
%a = memref.alloc() : memref<4x!hip.handle>
"hip.relu"(%ctx,%a) : (!hip.context, memref<4x!hip.handle>) -> ()

return
}
