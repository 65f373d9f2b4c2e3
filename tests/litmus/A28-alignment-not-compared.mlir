// A28. OptimizeMemRefs.cpp, PoolAllocs.cpp: alignment attributes are not compared; the pool's is 256 whatever is asked.
// Goes wrong: a buffer that asks for 256 goes into a slot aligned to 64; one that asks for 512 goes to offset 256.
// RUN: exits 1 smtalloc verify %inputs/A28-alignment-not-compared.before.mlir %s | filecheck %s
// CHECK: @slot: UNSAFE (misaligned)
// CHECK: misaligned: %b in %a: asks for alignment 256, gets 64
// CHECK: @arena: UNSAFE (misaligned)
// CHECK: misaligned: %b in %p: asks for alignment 512, gets 256
func.func @slot(%ctx: !hip.context, %x: memref<64xf32>, %o: memref<64xf32>, %p: memref<64xf32>) {
  %a = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  hip.neg(%ctx) ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%o : memref<64xf32>)
  hip.neg(%ctx) ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%p : memref<64xf32>)
  return
}
func.func @arena(%ctx: !hip.context, %x: memref<64xf32>, %o: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %p = memref.alloc() {alignment = 512 : i64} : memref<768xi8>
  %a = memref.view %p[%c0][] : memref<768xi8> to memref<64xf32>
  hip.neg(%ctx) ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.view %p[%c256][] : memref<768xi8> to memref<64xf32>
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  hip.neg(%ctx) ins(%b : memref<64xf32>) outs(%o : memref<64xf32>)
  return
}
