func.func @f(%ctx: !hip.context, %x: memref<8xi64>, %o: memref<8xi64>, %p: memref<8xi64>) {
  %a = memref.alloc() : memref<8xi64>
  hip.neg(%ctx) ins(%x : memref<8xi64>) outs(%a : memref<8xi64>)
  hip.exp(%ctx) ins(%a : memref<8xi64>) outs(%p : memref<8xi64>)
  %unused = memref.alloc() : memref<8xi64>
  hip.top_k(%ctx) ins(%x : memref<8xi64>) outs(%o, %unused : memref<8xi64>, memref<8xi64>)
  return
}
