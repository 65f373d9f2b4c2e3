func.func @f(%x: memref<1xf32>, %v: f32, %o: memref<1xf32>, %p: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<1xf32>
  linalg.negf ins(%x : memref<1xf32>) outs(%a : memref<1xf32>)
  linalg.exp ins(%a : memref<1xf32>) outs(%o : memref<1xf32>)
  memref.dealloc %a : memref<1xf32>
  %b = memref.alloc() : memref<1xf32>
  memref.store %v, %b[%c0] : memref<1xf32>
  linalg.abs ins(%b : memref<1xf32>) outs(%p : memref<1xf32>)
  memref.dealloc %b : memref<1xf32>
  return
}
