// A22. hip-ep #948: with the pool pass on, all temporaries of a domain become views of one pool.
// Right: aligned offsets, large enough, and bytes are used again only behind the last use on the one stream.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/A22-temporaries-in-one-pool.before.mlir %s | filecheck %s
// RUN: exits 0 smtalloc races %s | filecheck %s --check-prefix ALONE
// CHECK: @f: SAFE
// CHECK: shared: %a before %c: hip.add at {{.*}}, then hip.neg at {{.*}} (both on stream)
// ALONE: @f: SAFE
func.func @f(%ctx: !hip.context, %x: memref<64xf32>, %o: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %size = arith.constant 512 : index
  %pool = hip.get_pool(%ctx, %size) {domain_id = 0 : i64} : memref<?xi8>
  %a = memref.view %pool[%c0][] : memref<?xi8> to memref<64xf32>
  hip.neg(%ctx) ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.view %pool[%c256][] : memref<?xi8> to memref<64xf32>
  hip.add(%ctx) ins(%a, %x : memref<64xf32>, memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.view %pool[%c0][] : memref<?xi8> to memref<64xf32>
  hip.neg(%ctx) ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  hip.add(%ctx) ins(%b, %c : memref<64xf32>, memref<64xf32>) outs(%o : memref<64xf32>)
  return
}
