// B69. llvm #205125 and its kin: upstream's static planner: one arena, lives half-open from alloc to dealloc, best fit
// by start, no notion of engines.
// Goes wrong: the host stores %b at offset 0 of the arena, where the queued linalg.exp has yet to read %a.
// RUN: exits 1 smtalloc verify --profile linalg-device %inputs/B69-arena-by-program-order.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %a and %b share AFTER's %arena; memref.store at {{.*}} can overwrite %a before linalg.exp at {{.*}} reads it: the host runs ahead of the queue
func.func @f(%x: memref<1xf32>, %v: f32, %o: memref<1xf32>, %p: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<4xi8>
  %a = memref.view %arena[%c0][] : memref<4xi8> to memref<1xf32>
  linalg.negf ins(%x : memref<1xf32>) outs(%a : memref<1xf32>)
  linalg.exp ins(%a : memref<1xf32>) outs(%o : memref<1xf32>)
  %b = memref.view %arena[%c0][] : memref<4xi8> to memref<1xf32>
  memref.store %v, %b[%c0] : memref<1xf32>
  linalg.abs ins(%b : memref<1xf32>) outs(%p : memref<1xf32>)
  memref.dealloc %arena : memref<4xi8>
  return
}
