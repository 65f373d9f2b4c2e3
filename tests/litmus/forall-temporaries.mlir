// Each iteration of scf.forall has two temporaries of its own; the iterations run at the same time.
// Goes wrong: all iterations have one buffer outside the loop, in which they write over each other.
// RUN: exits 3 smtalloc verify --no-minimum %inputs/forall-temporaries.before.mlir %s | filecheck %s
// CHECK: @f: UNKNOWN: %a in %a: memref.store at {{.*}} may write over it in the next iteration
func.func @f(%x: memref<4x64xf32>, %y: memref<4x64xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<64xf32>
  scf.forall (%i) in (4) {
    %e = memref.load %x[%i, %c0] : memref<4x64xf32>
    memref.store %e, %a[%c0] : memref<64xf32>
    %f = memref.load %a[%c0] : memref<64xf32>
    memref.store %f, %a[%c0] : memref<64xf32>
    %g = memref.load %a[%c0] : memref<64xf32>
    memref.store %g, %y[%i, %c0] : memref<4x64xf32>
  }
  return
}
