// B50. hw-native-sys/PTOAS #913: the bytes of a loop-invariant buffer are reused by scratch later in the body (two
// iterations here, unrolled).
// Right: the scratch of all iterations shares memory of its own.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/B50-scratch-over-loop-invariant.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
// CHECK: shared: %scratch0 before %scratch1
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %y0: memref<8xf32>, %y1: memref<8xf32>, %o: memref<8xf32>) {
  %inv = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%inv : memref<8xf32>)
  %scratch = memref.alloc() : memref<8xf32>
  hip.mul(%ctx) ins(%y0, %inv : memref<8xf32>, memref<8xf32>) outs(%o : memref<8xf32>)
  hip.exp(%ctx) ins(%o : memref<8xf32>) outs(%scratch : memref<8xf32>)
  hip.neg(%ctx) ins(%scratch : memref<8xf32>) outs(%o : memref<8xf32>)

  hip.mul(%ctx) ins(%y1, %inv : memref<8xf32>, memref<8xf32>) outs(%o : memref<8xf32>)
  hip.exp(%ctx) ins(%o : memref<8xf32>) outs(%scratch : memref<8xf32>)
  hip.neg(%ctx) ins(%scratch : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
