// B69. llvm #205125 and its kin: upstream's static planner: one arena, lives half-open from alloc to dealloc, best fit
// by start, no notion of engines.
// Right: what the host stores has bytes of its own in the arena.
// RUN: exits 0 smtalloc verify --no-minimum --profile linalg-device %inputs/B69-arena-by-program-order.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%x: memref<1xf32>, %v: f32, %o: memref<1xf32>, %p: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<8xi8>
  %a = memref.view %arena[%c0][] : memref<8xi8> to memref<1xf32>
  linalg.negf ins(%x : memref<1xf32>) outs(%a : memref<1xf32>)
  linalg.exp ins(%a : memref<1xf32>) outs(%o : memref<1xf32>)
  %b = memref.view %arena[%c4][] : memref<8xi8> to memref<1xf32>
  memref.store %v, %b[%c0] : memref<1xf32>
  linalg.abs ins(%b : memref<1xf32>) outs(%p : memref<1xf32>)
  memref.dealloc %arena : memref<8xi8>
  return
}
