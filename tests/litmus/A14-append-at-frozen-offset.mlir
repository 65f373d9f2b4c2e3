// A14. hip-ep #256, #313: v_in and v_out of a loop share one buffer, the append offset is the first iteration's.
// Goes wrong: every iteration (two here, unrolled) writes the same bytes, and all are read later.
// RUN: exits 1 smtalloc verify %inputs/A14-append-at-frozen-offset.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (lifetime-overlap)
// CHECK: lifetime-overlap: %part0 and %part1 share AFTER's %v; hip.neg at {{.*}} can overwrite %part0 before hip.concat at {{.*}} reads it: their lives overlap
func.func @f(%ctx: !hip.context, %x: memref<4xf32>, %y: memref<4xf32>, %o: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %v = memref.alloc() {alignment = 64 : i64} : memref<32xi8>
  %part0 = memref.view %v[%c0][] : memref<32xi8> to memref<4xf32>
  hip.neg(%ctx) ins(%x : memref<4xf32>) outs(%part0 : memref<4xf32>)
  %part1 = memref.view %v[%c0][] : memref<32xi8> to memref<4xf32>
  hip.neg(%ctx) ins(%y : memref<4xf32>) outs(%part1 : memref<4xf32>)
  hip.concat(%ctx) ins(%part0, %part1 : memref<4xf32>, memref<4xf32>) outs(%o : memref<8xf32>)
  return
}
