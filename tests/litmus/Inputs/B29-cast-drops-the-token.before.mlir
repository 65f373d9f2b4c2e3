func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %p: memref<8xf32>) {
  %s = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%s : memref<8xf32>)
  %d = memref.cast %s : memref<8xf32> to memref<?xf32>
  %r = memref.cast %d : memref<?xf32> to memref<8xf32>
  %t = memref.alloc() : memref<8xf32>
  hip.exp(%ctx) ins(%x : memref<8xf32>) outs(%t : memref<8xf32>)
  hip.gather(%ctx) ins(%r : memref<8xf32>) outs(%o : memref<8xf32>)
  hip.neg(%ctx) ins(%t : memref<8xf32>) outs(%p : memref<8xf32>)
  return
}
