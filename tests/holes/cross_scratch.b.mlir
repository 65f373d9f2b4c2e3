func.func private @g(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>) {
  %y = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
  hip.neg(%ctx) ins(%y : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %o2: memref<8xf32>) {
  %y = memref.alloc() : memref<8xf32>
  hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
  func.call @g(%ctx, %x, %o) : (!hip.context, memref<8xf32>, memref<8xf32>) -> ()
  hip.relu(%ctx) ins(%y : memref<8xf32>) outs(%o2 : memref<8xf32>)
  return
}
