func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %y: memref<8xf32>, %o: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %inv = memref.alloc() : memref<8xf32>
  %scratch = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%inv : memref<8xf32>)
  scf.for %i = %c0 to %c4 step %c1 {
    hip.mul(%ctx) ins(%y, %inv : memref<8xf32>, memref<8xf32>) outs(%o : memref<8xf32>)
    hip.exp(%ctx) ins(%o : memref<8xf32>) outs(%scratch : memref<8xf32>)
    hip.neg(%ctx) ins(%scratch : memref<8xf32>) outs(%o : memref<8xf32>)
  }
  return
}
