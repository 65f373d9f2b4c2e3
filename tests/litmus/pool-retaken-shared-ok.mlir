// hip.get_pool: the same domain is the same memory wherever it is taken.
// Right: %b is in a pool of another domain.
// RUN: exits 0 smtalloc races %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %pool = hip.get_pool(%ctx, %c64) {domain_id = 0 : i64} : memref<?xi8>
  %a = memref.view %pool[%c0][] : memref<?xi8> to memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  %again = hip.get_pool(%ctx, %c64) {domain_id = 1 : i64} : memref<?xi8>
  %b = memref.view %again[%c0][] : memref<?xi8> to memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
  hip.add(%ctx) ins(%a, %b : memref<8xf32>, memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
