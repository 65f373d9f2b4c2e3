// Its output: one arena of bytes, a view at a constant offset for each buffer, and no dealloc, of the arena neither.
func.func @chain(%x: memref<64xf32>, %o: memref<64xf32>) {
  %arena = memref.alloc() {alignment = 64 : i64} : memref<512xi8>
  %c0 = arith.constant 0 : index
  %a = memref.view %arena[%c0][] : memref<512xi8> to memref<64xf32>
  linalg.copy ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %c256 = arith.constant 256 : index
  %b = memref.view %arena[%c256][] : memref<512xi8> to memref<64xf32>
  linalg.copy ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %c0_0 = arith.constant 0 : index
  %c = memref.view %arena[%c0_0][] : memref<512xi8> to memref<64xf32>
  linalg.copy ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.copy ins(%c : memref<64xf32>) outs(%o : memref<64xf32>)
  return
}

func.func @sizes(%x: memref<16xf32>, %y: memref<32xi64>, %o: memref<16xf32>, %p: memref<32xi64>) {
  %arena = memref.alloc() {alignment = 64 : i64} : memref<320xi8>
  %c0 = arith.constant 0 : index
  %a = memref.view %arena[%c0][] : memref<320xi8> to memref<16xf32>
  %c64 = arith.constant 64 : index
  %b = memref.view %arena[%c64][] : memref<320xi8> to memref<32xi64>
  linalg.copy ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.copy ins(%y : memref<32xi64>) outs(%b : memref<32xi64>)
  linalg.copy ins(%a : memref<16xf32>) outs(%o : memref<16xf32>)
  linalg.copy ins(%b : memref<32xi64>) outs(%p : memref<32xi64>)
  return
}
