// A temporary in each branch of affine.if.
// Right: no path has both.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/affine-if-branches-ok.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
// CHECK: shared: %a, %b in %a: no path uses both
#set = affine_set<(d0) : (d0 - 4 >= 0)>
func.func @f(%x: memref<64xf32>, %o: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<64xf32>
  affine.if #set(%n) {
    memref.copy %x, %a : memref<64xf32> to memref<64xf32>
    memref.copy %a, %o : memref<64xf32> to memref<64xf32>
  } else {
    memref.copy %x, %a : memref<64xf32> to memref<64xf32>
    memref.copy %a, %o : memref<64xf32> to memref<64xf32>
  }
  return
}
