func.func @f(%ctx: !hip.context, %x: memref<8xi64>, %o: memref<8xi64>)  {
  %c0 = arith.constant 0 : index
  %s1 = arith.constant 64 : index
  %s2 = arith.constant 512 : index
  %off = arith.constant 256 : index
  %p = hip.get_pool(%ctx, %s1) {domain_id = 1 : i64} : memref<?xi8>
  %a = memref.view %p[%c0][] : memref<?xi8> to memref<8xi64>
  hip.relu(%ctx) ins(%x : memref<8xi64>) outs(%a : memref<8xi64>)
  %p2 = hip.get_pool(%ctx, %s2) {domain_id = 1 : i64} : memref<?xi8>
  %b = memref.view %p2[%off][] : memref<?xi8> to memref<8xi64>
  hip.neg(%ctx) ins(%x : memref<8xi64>) outs(%b : memref<8xi64>)
  hip.add(%ctx) ins(%a, %b : memref<8xi64>, memref<8xi64>) outs(%o : memref<8xi64>)
  return
}
