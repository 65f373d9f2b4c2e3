// A10. hip-ep #27: a size in bytes computed as bit width / 8, rounded down.
// Goes wrong: three i4 are 12 bits, one byte after truncation; and i1 counted in bits though kernels keep it in a byte.
// RUN: exits 1 smtalloc verify %inputs/A10-sub-byte-sizes.before.mlir %s | filecheck %s
// CHECK: @i4: UNSAFE (too-small)
// CHECK: too-small: %s in %p: needs bytes 0 to 2, the memory has 1
// CHECK: @i1: UNSAFE (too-small)
// CHECK: too-small: %s in %p: needs bytes 0 to 64, the memory has 8
func.func @i4(%ctx: !hip.context, %in: memref<3xi4>, %o: memref<3xi4>) {
  %c0 = arith.constant 0 : index
  %p = memref.alloc() : memref<1xi8>
  %s = memref.view %p[%c0][] : memref<1xi8> to memref<3xi4>
  hip.neg(%ctx) ins(%in : memref<3xi4>) outs(%s : memref<3xi4>)
  hip.neg(%ctx) ins(%s : memref<3xi4>) outs(%o : memref<3xi4>)
  return
}
func.func @i1(%ctx: !hip.context, %in: memref<64xi1>, %o: memref<64xi1>) {
  %c0 = arith.constant 0 : index
  %p = memref.alloc() : memref<8xi8>
  %s = memref.view %p[%c0][] : memref<8xi8> to memref<64xi1>
  hip.not(%ctx) ins(%in : memref<64xi1>) outs(%s : memref<64xi1>)
  hip.not(%ctx) ins(%s : memref<64xi1>) outs(%o : memref<64xi1>)
  return
}
