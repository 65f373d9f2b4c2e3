// B50. hw-native-sys/PTOAS #913: the bytes of a loop-invariant buffer are reused by scratch later in the body (two
// iterations here, unrolled).
// Goes wrong: after its read in the first iteration %inv looks dead; the second iteration reads the scratch instead.
// RUN: exits 1 smtalloc verify %inputs/B50-scratch-over-loop-invariant.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (lifetime-overlap)
// CHECK: lifetime-overlap: %inv and %scratch0 share AFTER's %inv; hip.exp at {{.*}}:7:3 can overwrite %inv before hip.mul at {{.*}}:10:3 reads it: their lives overlap
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %y0: memref<8xf32>, %y1: memref<8xf32>, %o: memref<8xf32>) {
  %inv = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%inv : memref<8xf32>)

  hip.mul(%ctx) ins(%y0, %inv : memref<8xf32>, memref<8xf32>) outs(%o : memref<8xf32>)
  hip.exp(%ctx) ins(%o : memref<8xf32>) outs(%inv : memref<8xf32>)
  hip.neg(%ctx) ins(%inv : memref<8xf32>) outs(%o : memref<8xf32>)

  hip.mul(%ctx) ins(%y1, %inv : memref<8xf32>, memref<8xf32>) outs(%o : memref<8xf32>)
  hip.exp(%ctx) ins(%o : memref<8xf32>) outs(%inv : memref<8xf32>)
  hip.neg(%ctx) ins(%inv : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
