// Straight-line functions: chains, returned buffers, views, two outputs, a copy of a copy.
func.func @chain(%x: memref<8xf32>, %o: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  linalg.copy ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  linalg.copy ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
  linalg.copy ins(%b : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}

func.func @returned(%x: memref<8xf32>) -> memref<8xf32> {
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  linalg.copy ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  linalg.copy ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
  return %b : memref<8xf32>
}

func.func @views(%x: memref<8xf32>, %o: memref<4xf32>) {
  %a = memref.alloc() : memref<8xf32>
  linalg.copy ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  %low = memref.subview %a[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  %high = memref.subview %a[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  %s = memref.alloc() : memref<4xf32>
  linalg.add ins(%low, %high : memref<4xf32, strided<[1]>>, memref<4xf32, strided<[1], offset: 4>>) outs(%s : memref<4xf32>)
  linalg.copy ins(%s : memref<4xf32>) outs(%o : memref<4xf32>)
  return
}

func.func @dynamic(%n: index, %x: memref<?xf32>, %o: memref<?xf32>) {
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.copy ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  linalg.copy ins(%a : memref<?xf32>) outs(%o : memref<?xf32>)
  return
}

func.func @two_results(%x: memref<8xf32>) -> (memref<8xf32>, memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  %t = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  linalg.copy ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  linalg.add ins(%x, %a : memref<8xf32>, memref<8xf32>) outs(%t : memref<8xf32>)
  linalg.add ins(%a, %t : memref<8xf32>, memref<8xf32>) outs(%b : memref<8xf32>)
  return %a, %b : memref<8xf32>, memref<8xf32>
}

func.func @scalars(%x: memref<8xf32>, %o: memref<8xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %s = memref.alloc() : memref<1xf32>
  memref.store %v, %s[%c0] : memref<1xf32>
  %r = memref.load %s[%c0] : memref<1xf32>
  %t = memref.alloc() : memref<8xf32>
  linalg.fill ins(%r : f32) outs(%t : memref<8xf32>)
  linalg.add ins(%x, %t : memref<8xf32>, memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
