// A43. PoolAllocs.cpp, HipsrPoolAllocs.cpp: size arithmetic in 64-bit index, without a test for overflow or sign.
// Right: the size is what the program needs.
// RUN: exits 0 smtalloc races %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%ctx: !hip.context, %x: memref<512xf32>, %o: memref<512xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c512 = arith.constant 512 : index
  %size = arith.muli %c512, %c4 : index
  %pool = hip.get_pool(%ctx, %size) {domain_id = 0 : i64} : memref<?xi8>
  %a = memref.view %pool[%c0][] : memref<?xi8> to memref<512xf32>
  hip.neg(%ctx) ins(%x : memref<512xf32>) outs(%a : memref<512xf32>)
  hip.neg(%ctx) ins(%a : memref<512xf32>) outs(%o : memref<512xf32>)
  return
}
