func.func private @g() -> memref<8xf32>
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %c: i1, %n: index)  {
%m = func.call @g() : () -> memref<8xf32>
hip.relu(%ctx) ins(%m : memref<8xf32>) outs(%o : memref<8xf32>)
memref.dealloc %m : memref<8xf32>

return
}
