// A24. hip-ep #469, #570, design document: slabs by lives only, the widest member decides each slab.
// Goes wrong: 512 elements disjoint in time from two overlapping buffers of 256 take 512 + 256 elements (3072 bytes);
// both small ones fit side by side in the big one's 2048 bytes.
// RUN: exits 0 smtalloc verify %inputs/A24-slab-per-life.before.mlir %s | filecheck %s
// CHECK: @f: SAFE for every schedule; 4,096 bytes before, 3,072 after; suboptimal: 2,048 are enough
func.func @f(%ctx: !hip.context, %x: memref<512xf32>, %y: memref<256xf32>, %o: memref<512xf32>, %p: memref<256xf32>) {
  %c0 = arith.constant 0 : index
  %c2048 = arith.constant 2048 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<3072xi8>
  %big = memref.view %arena[%c0][] : memref<3072xi8> to memref<512xf32>
  hip.neg(%ctx) ins(%x : memref<512xf32>) outs(%big : memref<512xf32>)
  hip.neg(%ctx) ins(%big : memref<512xf32>) outs(%o : memref<512xf32>)
  %a = memref.view %arena[%c0][] : memref<3072xi8> to memref<256xf32>
  %b = memref.view %arena[%c2048][] : memref<3072xi8> to memref<256xf32>
  hip.neg(%ctx) ins(%y : memref<256xf32>) outs(%a : memref<256xf32>)
  hip.neg(%ctx) ins(%y : memref<256xf32>) outs(%b : memref<256xf32>)
  hip.add(%ctx) ins(%a, %b : memref<256xf32>, memref<256xf32>) outs(%p : memref<256xf32>)
  return
}
