// A temporary in a branch of affine.if, and a buffer that is read behind it.
// Goes wrong: where the branch is taken, the temporary overwrites what is still to be read.
// RUN: exits 3 smtalloc verify --no-minimum %inputs/affine-if-branches.before.mlir %s | filecheck %s
// CHECK: @f: UNKNOWN: %a in %a: memref.copy at {{.*}} may write over it while it is still to be read
#set = affine_set<(d0) : (d0 - 4 >= 0)>
func.func @f(%x: memref<64xf32>, %y: memref<64xf32>, %o: memref<64xf32>, %p: memref<64xf32>, %n: index) {
  %a = memref.alloc() : memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  affine.if #set(%n) {
    memref.copy %y, %a : memref<64xf32> to memref<64xf32>
    memref.copy %a, %o : memref<64xf32> to memref<64xf32>
  }
  memref.copy %a, %p : memref<64xf32> to memref<64xf32>
  return
}
