// A10. hip-ep #27: the truncated size is the size of a pool; the module alone.
// Right: one byte per i1.
// RUN: exits 0 smtalloc races %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%ctx: !hip.context, %in: memref<64xi1>, %o: memref<64xi1>) {
  %c0 = arith.constant 0 : index
  %size = arith.constant 64 : index
  %p = hip.get_pool(%ctx, %size) {domain_id = 0 : i64} : memref<?xi8>
  %s = memref.view %p[%c0][] : memref<?xi8> to memref<64xi1>
  hip.not(%ctx) ins(%in : memref<64xi1>) outs(%s : memref<64xi1>)
  hip.not(%ctx) ins(%s : memref<64xi1>) outs(%o : memref<64xi1>)
  return
}
