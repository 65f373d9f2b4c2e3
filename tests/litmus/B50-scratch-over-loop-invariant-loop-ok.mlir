// B50. hw-native-sys/PTOAS #913: the bytes of a loop-invariant buffer are reused by scratch later in the body.
// Right: scratch and loop-invariant buffer lie side by side.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/B50-scratch-over-loop-invariant-loop.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %y: memref<8xf32>, %o: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %m = memref.alloc() : memref<16xf32>
  %inv = memref.reinterpret_cast %m to offset: [0], sizes: [8], strides: [1] : memref<16xf32> to memref<8xf32>
  %scratch = memref.reinterpret_cast %m to offset: [8], sizes: [8], strides: [1] : memref<16xf32> to memref<8xf32, strided<[1], offset: 8>>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%inv : memref<8xf32>)
  scf.for %i = %c0 to %c4 step %c1 {
    hip.mul(%ctx) ins(%y, %inv : memref<8xf32>, memref<8xf32>) outs(%o : memref<8xf32>)
    hip.exp(%ctx) ins(%o : memref<8xf32>) outs(%scratch : memref<8xf32, strided<[1], offset: 8>>)
    hip.neg(%ctx) ins(%scratch : memref<8xf32, strided<[1], offset: 8>>) outs(%o : memref<8xf32>)
  }
  return
}
