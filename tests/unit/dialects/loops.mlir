#set = affine_set<(d0)[s0] : (d0 - 10 >= 0, s0 - d0 - 9 >= 0)>
func.func @f(%m: memref<8x8xf32>, %v: memref<8xf32>, %n: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%i, %j) in (%n, 4) {
    memref.store %x, %m[%i, %j] : memref<8x8xf32>
  }
  scf.forall (%i) = (%c0) to (%n) step (2) {
    memref.store %x, %v[%i] : memref<8xf32>
    scf.forall.in_parallel {
    }
  } {mapping = [#gpu.thread<x>]}
  scf.forall (%i) in (4) {
    memref.store %x, %v[%i] : memref<8xf32>
  } {mapping = [#gpu.block<y>], a = 1}
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    memref.store %x, %m[%i, %j] : memref<8x8xf32>
  }
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%x) -> f32 {
    %e = memref.load %v[%i] : memref<8xf32>
    scf.reduce(%e : f32) {
    ^bb0(%l: f32, %q: f32):
      %s = arith.addf %l, %q : f32
      scf.reduce.return %s : f32
    }
  } {b = 2}
  %rr:2 = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%x, %x) -> (f32, f32) {
    %e = memref.load %v[%i] : memref<8xf32>
    scf.reduce(%e, %e : f32, f32) {
    ^bb0(%l: f32, %q: f32):
      %s = arith.addf %l, %q : f32
      scf.reduce.return %s : f32
    }, {
    ^bb0(%l: f32, %q: f32):
      %s = arith.addf %l, %q : f32
      scf.reduce.return %s : f32
    }
  }
  affine.for %i = 0 to 8 {
    affine.if #set(%i)[%n] {
      memref.store %x, %v[%i] : memref<8xf32>
    } else {
      memref.store %x, %v[%c0] : memref<8xf32>
    }
    affine.if affine_set<(d0) : (d0 mod 2 == 0)>(%i) {
      memref.store %x, %v[%i] : memref<8xf32>
    }
    %k = affine.if affine_set<() : (1 >= 0)>() -> f32 {
      affine.yield %x : f32
    } else {
      affine.yield %x : f32
    } {c = 1}
  }
  affine.parallel (%i, %j) = (0, 0) to (8, 8) {
    memref.store %x, %m[%i, %j] : memref<8x8xf32>
  }
  affine.parallel (%i, %j) = (0, max(%n, %n - 3)) to (symbol(%n) + 2, min(8, %n * 2 + symbol(%n))) step (2, 3) {
    memref.store %x, %m[%i, %j] : memref<8x8xf32>
  }
  %p = affine.parallel (%i) = (0) to (8) reduce ("addf") -> (f32) {
    %e = memref.load %v[%i] : memref<8xf32>
    affine.yield %e : f32
  } {d = 3}
  %p2:2 = affine.parallel (%i) = (0) to (8) reduce ("mulf", "maximumf") -> (f32, f32) {
    %e = memref.load %v[%i] : memref<8xf32>
    affine.yield %e, %e : f32, f32
  }
  affine.parallel () = () to () {
  }
  memref.prefetch %m[%c0, %c1], read, locality<3>, data : memref<8x8xf32>
  memref.prefetch %v[%c0], write, locality<0>, instr : memref<8xf32>
  %g = memref.generic_atomic_rmw %v[%c0] : memref<8xf32> {
  ^bb0(%old: f32):
    %s = arith.addf %old, %x : f32
    memref.atomic_yield %s : f32
  }
  return %g : f32
}
func.func @nested(%m: memref<?x8xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%i) = (-2) to (%n) step (%n) {
    scf.forall () in () {
    }
    %t = memref.alloc() : memref<8xf32>
    affine.if affine_set<(d0, d1)[s0] : (d0 + d1 - s0 >= 0, d0 floordiv 4 - 2 == 0)>(%n, %c1)[%n] {
    } else {
      memref.store %x, %t[%c0] : memref<8xf32>
    } {name = "n"}
    %b:2 = scf.parallel (%k) = (%c0) to (%n) step (%c1) init (%t, %c0) -> (memref<8xf32>, index) {
      scf.reduce(%t, %k : memref<8xf32>, index) {
      ^bb0(%l: memref<8xf32>, %r: memref<8xf32>):
        scf.reduce.return %r : memref<8xf32>
      }, {
      ^bb0(%l: index, %r: index):
        scf.reduce.return %r : index
      }
    }
    memref.dealloc %t : memref<8xf32>
    scf.forall.in_parallel {
    }
  }
  %dims:2 = scf.execute_region -> (index, index) {
    scf.yield %n, %c1 : index, index
  }
  affine.for %a = 0 to 8 {
    affine.parallel (%i, %j, %k) = (%a - 1, -3, max(%a * 2, %n)) to (%n, (%a + 5) floordiv 2, %a mod 3 + %n) {
    }
    affine.parallel (%i) = (max(%a ceildiv 2, symbol(%n) * 3, 4)) to (-%a + 10) step (3) {
    }
  }
  return
}
