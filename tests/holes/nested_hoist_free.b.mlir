func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %n: index)  {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %t = memref.alloc() : memref<8xf32>
      hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%t : memref<8xf32>)
      hip.relu(%ctx) ins(%t : memref<8xf32>) outs(%o : memref<8xf32>)
      memref.dealloc %t : memref<8xf32>
    }
  }
  return
}
