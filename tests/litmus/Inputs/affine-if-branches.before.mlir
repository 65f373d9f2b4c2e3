#set = affine_set<(d0) : (d0 - 4 >= 0)>
func.func @f(%x: memref<64xf32>, %y: memref<64xf32>, %o: memref<64xf32>, %p: memref<64xf32>, %n: index) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  affine.if #set(%n) {
    memref.copy %y, %b : memref<64xf32> to memref<64xf32>
    memref.copy %b, %o : memref<64xf32> to memref<64xf32>
  }
  memref.copy %a, %p : memref<64xf32> to memref<64xf32>
  return
}
