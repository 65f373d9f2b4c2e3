func.func private @g(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %p = hip.get_pool(%ctx, %c64) {domain_id = 1 : i64} : memref<?xi8>
  %y = memref.view %p[%c0][] : memref<?xi8> to memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
  hip.neg(%ctx) ins(%y : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %o2: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %p = hip.get_pool(%ctx, %c64) {domain_id = 1 : i64} : memref<?xi8>
  %y = memref.view %p[%c0][] : memref<?xi8> to memref<8xf32>
  hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
  func.call @g(%ctx, %x, %o) : (!hip.context, memref<8xf32>, memref<8xf32>) -> ()
  hip.relu(%ctx) ins(%y : memref<8xf32>) outs(%o2 : memref<8xf32>)
  return
}
