// A10. hip-ep #27: the alias analysis is from before the allocations were rewritten.
// Goes wrong: the free stands behind the last direct use of %s, and a view of it is read later.
// RUN: exits 1 smtalloc verify %inputs/A10-free-before-use-of-view.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (use-after-free)
// CHECK: use-after-free: %s is freed at {{.*}}:10:3, then hip.slice at {{.*}} uses %s in it
func.func @f(%ctx: !hip.context, %in: memref<64xf32>, %o: memref<32xf32>) {
  %s = memref.alloc() : memref<64xf32>
  hip.neg(%ctx) ins(%in : memref<64xf32>) outs(%s : memref<64xf32>)
  %v = memref.subview %s[32] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: 32>>
  memref.dealloc %s : memref<64xf32>
  hip.slice(%ctx) ins(%v : memref<32xf32, strided<[1], offset: 32>>) outs(%o : memref<32xf32>)
  return
}
