func.func @f(%ctx: !hip.context, %c: i1, %a: memref<8xf32>, %o: memref<8xf32>)  {
  scf.execute_region {
    cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    hip.relu(%ctx) ins(%a : memref<8xf32>) outs(%o : memref<8xf32>)
    scf.yield
  ^bb2:
    hip.neg(%ctx) ins(%a : memref<8xf32>) outs(%o : memref<8xf32>)
    scf.yield
  }
  return
}
