func.func private @g(%a: memref<8xf32>)
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>)  {
  %a = memref.alloc() : memref<8xf32>
  hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  func.call @g(%a) : (memref<8xf32>) -> ()
  memref.dealloc %a : memref<8xf32>
  return
}
