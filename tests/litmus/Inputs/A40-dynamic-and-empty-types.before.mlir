func.func @dynamic(%ctx: !hip.context, %n: index, %x: memref<?xf32>, %o: memref<?xf32>, %p: memref<?xf32>) {
  %a = memref.alloc(%n) : memref<?xf32>
  hip.neg(%ctx) ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  hip.neg(%ctx) ins(%a : memref<?xf32>) outs(%o : memref<?xf32>)
  %b = memref.alloc(%n) : memref<?xf32>
  hip.neg(%ctx) ins(%x : memref<?xf32>) outs(%b : memref<?xf32>)
  hip.neg(%ctx) ins(%b : memref<?xf32>) outs(%p : memref<?xf32>)
  return
}
func.func @empty(%ctx: !hip.context, %x: memref<0xf32>, %o: memref<0xf32>) {
  %a = memref.alloc() : memref<0xf32>
  %b = memref.alloc() : memref<0xf32>
  hip.neg(%ctx) ins(%x : memref<0xf32>) outs(%a : memref<0xf32>)
  hip.neg(%ctx) ins(%x : memref<0xf32>) outs(%b : memref<0xf32>)
  hip.add(%ctx) ins(%a, %b : memref<0xf32>, memref<0xf32>) outs(%o : memref<0xf32>)
  return
}
