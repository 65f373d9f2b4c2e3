// Loops: allocated per iteration, before the loop, carried around it.
func.func @temporary(%lo: index, %hi: index, %s: index, %x: memref<8xf32>, %o: memref<8xf32>) {
  scf.for %i = %lo to %hi step %s {
    %t = memref.alloc() : memref<8xf32>
    linalg.copy ins(%x : memref<8xf32>) outs(%t : memref<8xf32>)
    linalg.copy ins(%t : memref<8xf32>) outs(%o : memref<8xf32>)
  }
  return
}

func.func @outside(%hi: index, %x: memref<8xf32>, %o: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = memref.alloc() : memref<8xf32>
  linalg.copy ins(%x : memref<8xf32>) outs(%t : memref<8xf32>)
  scf.for %i = %c0 to %hi step %c1 {
    linalg.add ins(%t, %x : memref<8xf32>, memref<8xf32>) outs(%o : memref<8xf32>)
  }
  return
}

func.func @carried(%hi: index, %x: memref<8xf32>, %o: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xf32>
  linalg.copy ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  %r = scf.for %i = %c0 to %hi step %c1 iter_args(%v = %a) -> memref<8xf32> {
    %t = memref.alloc() : memref<8xf32>
    linalg.add ins(%v, %x : memref<8xf32>, memref<8xf32>) outs(%t : memref<8xf32>)
    scf.yield %t : memref<8xf32>
  }
  linalg.copy ins(%r : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}

func.func @nested(%hi: index, %x: memref<8xf32>, %o: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %hi step %c1 {
    scf.for %j = %c0 to %hi step %c1 {
      %t = memref.alloc() : memref<8xf32>
      linalg.add ins(%x, %x : memref<8xf32>, memref<8xf32>) outs(%t : memref<8xf32>)
      linalg.copy ins(%t : memref<8xf32>) outs(%o : memref<8xf32>)
    }
  }
  return
}
