func.func @f(%ctx: !hip.context, %c: i1, %a: memref<8xf32>, %z: memref<8xf32>, %o: memref<8xf32>)  {
  hip.q(%ctx) ins(%a : memref<8xf32>) zero_points(%z : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
