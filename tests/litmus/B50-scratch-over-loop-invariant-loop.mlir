// B50. hw-native-sys/PTOAS #913: the bytes of a loop-invariant buffer are reused by scratch later in the body.
// Goes wrong: after its read %inv looks dead; the next iteration reads the scratch instead (back edge).
// RUN: exits 1 smtalloc verify %inputs/B50-scratch-over-loop-invariant-loop.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (lifetime-overlap)
// CHECK: lifetime-overlap: %inv and %scratch share AFTER's %inv; hip.exp at {{.*}} can overwrite %inv before hip.mul at {{.*}} reads it: their lives overlap
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %y: memref<8xf32>, %o: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %inv = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%inv : memref<8xf32>)
  scf.for %i = %c0 to %c4 step %c1 {
    hip.mul(%ctx) ins(%y, %inv : memref<8xf32>, memref<8xf32>) outs(%o : memref<8xf32>)
    hip.exp(%ctx) ins(%o : memref<8xf32>) outs(%inv : memref<8xf32>)
    hip.neg(%ctx) ins(%inv : memref<8xf32>) outs(%o : memref<8xf32>)
  }
  return
}
