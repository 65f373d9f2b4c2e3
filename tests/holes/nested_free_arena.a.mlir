func.func @f(%ctx: !hip.context, %n: index, %x: memref<8xf32>, %o: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %off = arith.constant 64 : index
  scf.for %i = %c0 to %n step %c1 {
    %p = memref.alloc() {alignment = 64 : i64} : memref<96xi8>
    %s = memref.view %p[%c0][] : memref<96xi8> to memref<8xf32>
    %t = memref.view %p[%off][] : memref<96xi8> to memref<8xf32>
    hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%s : memref<8xf32>)
    hip.neg(%ctx) ins(%s : memref<8xf32>) outs(%t : memref<8xf32>)
    hip.neg(%ctx) ins(%t : memref<8xf32>) outs(%o : memref<8xf32>)
    memref.dealloc %p : memref<96xi8>
  }
  return
}
