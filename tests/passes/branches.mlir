// Branches: allocated in both sides, in one side only, used around the branch.
func.func @both(%c: i1, %x: memref<8xf32>, %o: memref<8xf32>) {
  %r = scf.if %c -> memref<8xf32> {
    %a = memref.alloc() : memref<8xf32>
    linalg.copy ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
    scf.yield %a : memref<8xf32>
  } else {
    %b = memref.alloc() : memref<8xf32>
    linalg.add ins(%x, %x : memref<8xf32>, memref<8xf32>) outs(%b : memref<8xf32>)
    scf.yield %b : memref<8xf32>
  }
  linalg.copy ins(%r : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}

func.func @inner(%c: i1, %x: memref<8xf32>, %o: memref<8xf32>) {
  scf.if %c {
    %a = memref.alloc() : memref<8xf32>
    linalg.copy ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
    linalg.copy ins(%a : memref<8xf32>) outs(%o : memref<8xf32>)
  }
  return
}

func.func @around(%c: i1, %x: memref<8xf32>, %o: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  linalg.copy ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  scf.if %c {
    linalg.copy ins(%a : memref<8xf32>) outs(%o : memref<8xf32>)
  }
  linalg.add ins(%a, %x : memref<8xf32>, memref<8xf32>) outs(%o : memref<8xf32>)
  return
}

func.func @own_or_argument(%c: i1, %x: memref<8xf32>, %o: memref<8xf32>) {
  %r = scf.if %c -> memref<8xf32> {
    %a = memref.alloc() : memref<8xf32>
    linalg.copy ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
    scf.yield %a : memref<8xf32>
  } else {
    scf.yield %x : memref<8xf32>
  }
  linalg.copy ins(%r : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
