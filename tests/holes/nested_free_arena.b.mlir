func.func @f(%ctx: !hip.context, %n: index, %x: memref<8xf32>, %o: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %off = arith.constant 64 : index
  scf.for %i = %c0 to %n step %c1 {
    %s = memref.alloc() : memref<8xf32>
    %t = memref.alloc() : memref<8xf32>
    hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%s : memref<8xf32>)
    hip.neg(%ctx) ins(%s : memref<8xf32>) outs(%t : memref<8xf32>)
    hip.neg(%ctx) ins(%t : memref<8xf32>) outs(%o : memref<8xf32>)
    memref.dealloc %s : memref<8xf32>
    memref.dealloc %t : memref<8xf32>
  }
  return
}
