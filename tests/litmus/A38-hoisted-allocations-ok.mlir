// A38. PoolAllocs.cpp, OptimizeMemRefs.cpp: allocations stand at the top, and intervals start there, not at the first write.
// Right: lives start at the first write, so %b takes the bytes of %a.
// RUN: exits 0 smtalloc verify %inputs/A38-hoisted-allocations.before.mlir %s | filecheck %s
// CHECK: @f: SAFE for every schedule; 512 bytes before, 256 after{{$}}
func.func @f(%ctx: !hip.context, %x: memref<64xf32>, %o: memref<64xf32>, %p: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  hip.neg(%ctx) ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%o : memref<64xf32>)
  hip.neg(%ctx) ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%p : memref<64xf32>)
  return
}
