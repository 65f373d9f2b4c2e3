// A43. PoolAllocs.cpp, HipsrPoolAllocs.cpp: size arithmetic in 64-bit index, without a test for overflow or sign.
// Goes wrong: the size of the pool, 2^31 * 2^31 * 4 + 1024 bytes, wraps to 1024; the 2 KiB that the program uses of it
// do not fit.
// RUN: exits 1 smtalloc races %s | filecheck %s
// CHECK: @f: UNSAFE (too-small)
// CHECK: too-small: %a in %pool: needs bytes 0 to 2048, the memory has 1024
func.func @f(%ctx: !hip.context, %x: memref<512xf32>, %o: memref<512xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c1024 = arith.constant 1024 : index
  %d = arith.constant 2147483648 : index
  %elements = arith.muli %d, %d : index
  %bytes = arith.muli %elements, %c4 : index
  %size = arith.addi %bytes, %c1024 : index
  %pool = hip.get_pool(%ctx, %size) {domain_id = 0 : i64} : memref<?xi8>
  %a = memref.view %pool[%c0][] : memref<?xi8> to memref<512xf32>
  hip.neg(%ctx) ins(%x : memref<512xf32>) outs(%a : memref<512xf32>)
  hip.neg(%ctx) ins(%a : memref<512xf32>) outs(%o : memref<512xf32>)
  return
}
