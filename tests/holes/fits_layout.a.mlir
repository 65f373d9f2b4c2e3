func.func @f(%ctx: !hip.context, %n: index, %x: memref<?x8xf32>, %o: memref<?x8xf32>)  {
  %m = memref.alloc(%n) : memref<?x8xf32>
  %a = memref.reinterpret_cast %m to offset: [0], sizes: [%n, 8], strides: [16, 1] : memref<?x8xf32> to memref<?x8xf32, strided<[16, 1]>>
  hip.relu(%ctx) ins(%x : memref<?x8xf32>) outs(%a : memref<?x8xf32, strided<[16, 1]>>)
  hip.neg(%ctx) ins(%a : memref<?x8xf32, strided<[16, 1]>>) outs(%o : memref<?x8xf32>)
  return
}
