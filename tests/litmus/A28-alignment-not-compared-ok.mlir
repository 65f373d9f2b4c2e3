// A28. OptimizeMemRefs.cpp, PoolAllocs.cpp: alignment attributes are not compared; the pool's is 256 whatever is asked.
// Right: the slot takes the strictest alignment of its members; the offset is a multiple of what is asked.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/A28-alignment-not-compared.before.mlir %s | filecheck %s
// CHECK: @slot: SAFE
// CHECK: @arena: SAFE
func.func @slot(%ctx: !hip.context, %x: memref<64xf32>, %o: memref<64xf32>, %p: memref<64xf32>) {
  %a = memref.alloc() {alignment = 256 : i64} : memref<64xf32>
  hip.neg(%ctx) ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%o : memref<64xf32>)
  hip.neg(%ctx) ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%p : memref<64xf32>)
  return
}
func.func @arena(%ctx: !hip.context, %x: memref<64xf32>, %o: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %p = memref.alloc() {alignment = 512 : i64} : memref<768xi8>
  %a = memref.view %p[%c0][] : memref<768xi8> to memref<64xf32>
  hip.neg(%ctx) ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.view %p[%c512][] : memref<768xi8> to memref<64xf32>
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  hip.neg(%ctx) ins(%b : memref<64xf32>) outs(%o : memref<64xf32>)
  return
}
