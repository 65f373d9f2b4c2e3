// hip.get_pool with a larger size frees the pool of its domain and takes a new one: every view of the old one dies.
// Right: the second taking asks for no more than the pool has, so it stays.
// RUN: exits 0 smtalloc races %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index

  %pool = hip.get_pool(%ctx, %c64) {domain_id = 0 : i64} : memref<?xi8>
  %a = memref.view %pool[%c0][] : memref<?xi8> to memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)


  %larger = hip.get_pool(%ctx, %c64) {domain_id = 0 : i64} : memref<?xi8>
  %b = memref.view %larger[%c32][] : memref<?xi8> to memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
  hip.add(%ctx) ins(%a, %b : memref<8xf32>, memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
