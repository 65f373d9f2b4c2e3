// A10. hip-ep #27: the module with the truncated size, alone.
// Goes wrong: the view of 64 bytes reaches past the 8 bytes that were allocated. (The same view of a pool is reported.)
// RUN: exits 1 smtalloc races %s | filecheck %s
// CHECK: @f: UNSAFE (too-small)
func.func @f(%ctx: !hip.context, %in: memref<64xi1>, %o: memref<64xi1>) {
  %c0 = arith.constant 0 : index
  %p = memref.alloc() : memref<8xi8>
  %s = memref.view %p[%c0][] : memref<8xi8> to memref<64xi1>
  hip.not(%ctx) ins(%in : memref<64xi1>) outs(%s : memref<64xi1>)
  hip.not(%ctx) ins(%s : memref<64xi1>) outs(%o : memref<64xi1>)
  return
}
