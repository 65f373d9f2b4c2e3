// B33. executorch #21840: a tensor is a base storage and an offset; the life of the base is not extended to its uses.
// Right: %t lies over the first half of %base, which nobody uses.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/B33-base-of-a-shifted-view.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %p: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %base = memref.alloc() {alignment = 64 : i64} : memref<64xi8>
  %v = memref.view %base[%c32][] : memref<64xi8> to memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%v : memref<8xf32>)
  %t = memref.view %base[%c0][] : memref<64xi8> to memref<8xf32>
  hip.exp(%ctx) ins(%x : memref<8xf32>) outs(%t : memref<8xf32>)
  hip.neg(%ctx) ins(%v : memref<8xf32>) outs(%o : memref<8xf32>)
  hip.neg(%ctx) ins(%t : memref<8xf32>) outs(%p : memref<8xf32>)
  return
}
