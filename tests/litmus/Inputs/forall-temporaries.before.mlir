func.func @f(%x: memref<4x64xf32>, %y: memref<4x64xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (4) {
    %a = memref.alloc() : memref<64xf32>
    %b = memref.alloc() : memref<64xf32>
    %e = memref.load %x[%i, %c0] : memref<4x64xf32>
    memref.store %e, %a[%c0] : memref<64xf32>
    %f = memref.load %a[%c0] : memref<64xf32>
    memref.store %f, %b[%c0] : memref<64xf32>
    %g = memref.load %b[%c0] : memref<64xf32>
    memref.store %g, %y[%i, %c0] : memref<4x64xf32>
  }
  return
}
