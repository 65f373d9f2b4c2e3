func.func private @g(%a: memref<8xf32>) -> memref<8xf32> {
  %c = memref.alloc() : memref<8xf32>
  memref.copy %a, %c : memref<8xf32> to memref<8xf32>
  return %c : memref<8xf32>
}
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>)  {
  %a = memref.alloc() : memref<8xf32>
  hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  %r = func.call @g(%a) : (memref<8xf32>) -> memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  hip.relu(%ctx) ins(%r : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
