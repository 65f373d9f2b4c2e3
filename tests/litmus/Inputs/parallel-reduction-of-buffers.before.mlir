func.func @f(%x: memref<64xf32>, %o: memref<64xf32>, %n: index, %v: f32, %w: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  memref.store %v, %a[%c0] : memref<64xf32>
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%x) -> memref<64xf32> {
    scf.reduce(%x : memref<64xf32>) {
    ^bb0(%l: memref<64xf32>, %q: memref<64xf32>):
      scf.reduce.return %a : memref<64xf32>
    }
  }
  memref.store %w, %b[%c0] : memref<64xf32>
  %g = memref.load %b[%c0] : memref<64xf32>
  %f = memref.load %r[%c0] : memref<64xf32>
  return %f, %g : f32, f32
}
