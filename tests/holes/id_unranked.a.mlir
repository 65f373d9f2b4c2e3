func.func @f(%ctx: !hip.context, %u: memref<*xf32>, %o: memref<?xf32>)  {
  %a = memref.cast %u : memref<*xf32> to memref<?xf32>
  hip.relu(%ctx) ins(%a : memref<?xf32>) outs(%o : memref<?xf32>)
  return
}
