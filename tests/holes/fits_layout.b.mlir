func.func @f(%ctx: !hip.context, %n: index, %x: memref<?x8xf32>, %o: memref<?x8xf32>)  {
  %a = memref.alloc(%n) : memref<?x8xf32, strided<[16, 1]>>
  hip.relu(%ctx) ins(%x : memref<?x8xf32>) outs(%a : memref<?x8xf32, strided<[16, 1]>>)
  hip.neg(%ctx) ins(%a : memref<?x8xf32, strided<[16, 1]>>) outs(%o : memref<?x8xf32>)
  return
}
