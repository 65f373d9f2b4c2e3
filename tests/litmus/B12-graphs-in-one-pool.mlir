// B12. pytorch #166975: two graphs share one pool; they are replayed in any order, never at the same time, and neither
// uses what the other has left there.
// Right (negative test): on one queue the temporaries of one graph are dead when the other starts, in both orders.
// RUN: exits 0 smtalloc races %s | filecheck %s
// CHECK: @first_then_second: SAFE
// CHECK-NEXT: shared: %t before %u
// CHECK: @second_then_first: SAFE
// CHECK-NEXT: shared: %u before %t
func.func @first_then_second(%ctx: !hip.context, %x: memref<64xf32>, %y: memref<32xf32>, %o: memref<64xf32>, %p: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %size = arith.constant 256 : index
  %pool = hip.get_pool(%ctx, %size) {domain_id = 0 : i64} : memref<?xi8>
  %t = memref.view %pool[%c0][] : memref<?xi8> to memref<64xf32>
  %u = memref.view %pool[%c0][] : memref<?xi8> to memref<32xf32>
  hip.neg(%ctx) ins(%x : memref<64xf32>) outs(%t : memref<64xf32>)
  hip.exp(%ctx) ins(%t : memref<64xf32>) outs(%o : memref<64xf32>)
  hip.neg(%ctx) ins(%y : memref<32xf32>) outs(%u : memref<32xf32>)
  hip.exp(%ctx) ins(%u : memref<32xf32>) outs(%p : memref<32xf32>)
  return
}
func.func @second_then_first(%ctx: !hip.context, %x: memref<64xf32>, %y: memref<32xf32>, %o: memref<64xf32>, %p: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %size = arith.constant 256 : index
  %pool = hip.get_pool(%ctx, %size) {domain_id = 0 : i64} : memref<?xi8>
  %t = memref.view %pool[%c0][] : memref<?xi8> to memref<64xf32>
  %u = memref.view %pool[%c0][] : memref<?xi8> to memref<32xf32>
  hip.neg(%ctx) ins(%y : memref<32xf32>) outs(%u : memref<32xf32>)
  hip.exp(%ctx) ins(%u : memref<32xf32>) outs(%p : memref<32xf32>)
  hip.neg(%ctx) ins(%x : memref<64xf32>) outs(%t : memref<64xf32>)
  hip.exp(%ctx) ins(%t : memref<64xf32>) outs(%o : memref<64xf32>)
  return
}
