// A27, for pools (PoolAllocs.cpp): a returned buffer becomes a view of the pool, as all others do.
// Not known: when the caller is done with %b. The next function that takes the pool writes over it.
// RUN: exits 3 smtalloc verify %inputs/returned-from-pool.before.mlir %s | filecheck %s
// CHECK: @f: UNKNOWN: %b in %pool: returned, but whoever takes that memory next may write over it, or free it
func.func @f(%ctx: !hip.context, %x: memref<8xf32>) -> memref<8xf32> {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %pool = hip.get_pool(%ctx, %c512) : memref<?xi8>
  %a = memref.view %pool[%c0][] : memref<?xi8> to memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  %b = memref.view %pool[%c256][] : memref<?xi8> to memref<8xf32>
  hip.neg(%ctx) ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
  return %b : memref<8xf32>
}
