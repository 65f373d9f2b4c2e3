func.func @i4(%ctx: !hip.context, %in: memref<3xi4>, %o: memref<3xi4>) {
  %s = memref.alloc() : memref<3xi4>
  hip.neg(%ctx) ins(%in : memref<3xi4>) outs(%s : memref<3xi4>)
  hip.neg(%ctx) ins(%s : memref<3xi4>) outs(%o : memref<3xi4>)
  return
}
func.func @i1(%ctx: !hip.context, %in: memref<64xi1>, %o: memref<64xi1>) {
  %s = memref.alloc() : memref<64xi1>
  hip.not(%ctx) ins(%in : memref<64xi1>) outs(%s : memref<64xi1>)
  hip.not(%ctx) ins(%s : memref<64xi1>) outs(%o : memref<64xi1>)
  return
}
