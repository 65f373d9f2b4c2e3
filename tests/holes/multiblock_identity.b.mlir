func.func @f(%ctx: !hip.context, %c: i1, %a: memref<8xf32>, %o: memref<8xf32>)  {
  cf.br ^bb1
^bb1:
  hip.relu(%ctx) ins(%a : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
