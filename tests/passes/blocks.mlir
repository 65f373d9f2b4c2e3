// Several blocks.
func.func @diamond(%c: i1, %x: memref<8xf32>, %o: memref<8xf32>) {
  cf.cond_br %c, ^left, ^right
^left:
  cf.br ^join(%x : memref<8xf32>)
^right:
  %a = memref.alloc() : memref<8xf32>
  linalg.copy ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  cf.br ^join(%a : memref<8xf32>)
^join(%v: memref<8xf32>):
  linalg.copy ins(%v : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}

func.func @inside(%c: i1, %x: memref<8xf32>, %o: memref<8xf32>) {
  cf.cond_br %c, ^work, ^end
^work:
  %a = memref.alloc() : memref<8xf32>
  linalg.copy ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  linalg.copy ins(%a : memref<8xf32>) outs(%o : memref<8xf32>)
  cf.br ^end
^end:
  return
}
