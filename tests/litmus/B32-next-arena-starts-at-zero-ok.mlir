// B32. executorch #21494 (#21490): what a cond yields is moved by pointer out of the branch's arena; the arena of the
// next cond starts at offset 0 again (straight line here: the branches that ran).
// Right: the second arena starts behind what the first has yielded.
// RUN: exits 0 smtalloc races %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%ctx: !hip.context, %x: memref<64xf32>, %o: memref<64xf32>, %p: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %size = arith.constant 512 : index
  %pool = hip.get_pool(%ctx, %size) {domain_id = 0 : i64} : memref<?xi8>
  %yielded = memref.view %pool[%c0][] : memref<?xi8> to memref<64xf32>
  hip.neg(%ctx) ins(%x : memref<64xf32>) outs(%yielded : memref<64xf32>)
  %again = hip.get_pool(%ctx, %size) {domain_id = 0 : i64} : memref<?xi8>
  %t = memref.view %again[%c256][] : memref<?xi8> to memref<64xf32>
  hip.exp(%ctx) ins(%x : memref<64xf32>) outs(%t : memref<64xf32>)
  hip.neg(%ctx) ins(%t : memref<64xf32>) outs(%p : memref<64xf32>)
  hip.add(%ctx) ins(%yielded, %x : memref<64xf32>, memref<64xf32>) outs(%o : memref<64xf32>)
  return
}
