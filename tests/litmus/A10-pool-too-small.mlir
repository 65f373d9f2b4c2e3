// A10. hip-ep #27: the truncated size is the size of a pool; the module alone.
// Goes wrong: 64 i1 are counted as 8 bytes, the kernels use 64.
// RUN: exits 1 smtalloc races %s | filecheck %s
// CHECK: @f: UNSAFE (too-small)
// CHECK: too-small: %s in %p: needs bytes 0 to 64, the memory has 8
func.func @f(%ctx: !hip.context, %in: memref<64xi1>, %o: memref<64xi1>) {
  %c0 = arith.constant 0 : index
  %size = arith.constant 8 : index
  %p = hip.get_pool(%ctx, %size) {domain_id = 0 : i64} : memref<?xi8>
  %s = memref.view %p[%c0][] : memref<?xi8> to memref<64xi1>
  hip.not(%ctx) ins(%in : memref<64xi1>) outs(%s : memref<64xi1>)
  hip.not(%ctx) ins(%s : memref<64xi1>) outs(%o : memref<64xi1>)
  return
}
