// B24. openxla/xla #46543: a is live [6,7], its user b [7,10], equal sizes; b is put at a shifted offset.
// Right: shifted by the whole size, so no byte is shared.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/B24-touching-lives-shifted.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %m = memref.alloc() {alignment = 64 : i64} : memref<64xi8>
  %a = memref.view %m[%c0][] : memref<64xi8> to memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  %b = memref.view %m[%c32][] : memref<64xi8> to memref<8xf32>
  hip.exp(%ctx) ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
  hip.neg(%ctx) ins(%b : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
