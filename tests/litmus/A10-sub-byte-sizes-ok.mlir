// A10. hip-ep #27: a size in bytes computed as bit width / 8, rounded down.
// Right: bits are rounded up to whole bytes, and an i1 takes a byte.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/A10-sub-byte-sizes.before.mlir %s | filecheck %s
// CHECK: @i4: SAFE
// CHECK: @i1: SAFE
func.func @i4(%ctx: !hip.context, %in: memref<3xi4>, %o: memref<3xi4>) {
  %c0 = arith.constant 0 : index
  %p = memref.alloc() : memref<2xi8>
  %s = memref.view %p[%c0][] : memref<2xi8> to memref<3xi4>
  hip.neg(%ctx) ins(%in : memref<3xi4>) outs(%s : memref<3xi4>)
  hip.neg(%ctx) ins(%s : memref<3xi4>) outs(%o : memref<3xi4>)
  return
}
func.func @i1(%ctx: !hip.context, %in: memref<64xi1>, %o: memref<64xi1>) {
  %c0 = arith.constant 0 : index
  %p = memref.alloc() : memref<64xi8>
  %s = memref.view %p[%c0][] : memref<64xi8> to memref<64xi1>
  hip.not(%ctx) ins(%in : memref<64xi1>) outs(%s : memref<64xi1>)
  hip.not(%ctx) ins(%s : memref<64xi1>) outs(%o : memref<64xi1>)
  return
}
