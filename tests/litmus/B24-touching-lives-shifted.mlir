// B24. openxla/xla #46543: a is live [6,7], its user b [7,10], equal sizes; b is put at a shifted offset.
// Goes wrong: the op at 7 reads %a and writes %b; shifted, it overwrites elements of %a that it has yet to read.
// RUN: exits 1 smtalloc verify %inputs/B24-touching-lives-shifted.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (lifetime-overlap)
// CHECK: lifetime-overlap: %a and %b share AFTER's %m; hip.exp at {{.*}} can overwrite %a before hip.exp at {{.*}} reads it: their lives overlap
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %m = memref.alloc() {alignment = 64 : i64} : memref<64xi8>
  %a = memref.view %m[%c0][] : memref<64xi8> to memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  %b = memref.view %m[%c16][] : memref<64xi8> to memref<8xf32>
  hip.exp(%ctx) ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
  hip.neg(%ctx) ins(%b : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
