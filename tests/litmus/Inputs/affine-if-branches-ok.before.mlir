#set = affine_set<(d0) : (d0 - 4 >= 0)>
func.func @f(%x: memref<64xf32>, %o: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  affine.if #set(%n) {
    memref.copy %x, %a : memref<64xf32> to memref<64xf32>
    memref.copy %a, %o : memref<64xf32> to memref<64xf32>
  } else {
    memref.copy %x, %b : memref<64xf32> to memref<64xf32>
    memref.copy %b, %o : memref<64xf32> to memref<64xf32>
  }
  return
}
