// A27, for pools (PoolAllocs.cpp): a returned buffer becomes a view of the pool, as all others do.
// Right: it stays an allocation.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/returned-from-pool.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%ctx: !hip.context, %x: memref<8xf32>) -> memref<8xf32> {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %pool = hip.get_pool(%ctx, %c512) : memref<?xi8>
  %a = memref.view %pool[%c0][] : memref<?xi8> to memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  %b = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
  return %b : memref<8xf32>
}
