// What MLIR's static memory planner (llvm #205125, #207403) takes: buffers with deallocs, as bufferization leaves them.
func.func @chain(%x: memref<64xf32>, %o: memref<64xf32>) {
  %a = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  linalg.copy ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  linalg.copy ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  memref.dealloc %a : memref<64xf32>
  %c = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  linalg.copy ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  memref.dealloc %b : memref<64xf32>
  linalg.copy ins(%c : memref<64xf32>) outs(%o : memref<64xf32>)
  memref.dealloc %c : memref<64xf32>
  return
}

func.func @sizes(%x: memref<16xf32>, %y: memref<32xi64>, %o: memref<16xf32>, %p: memref<32xi64>) {
  %a = memref.alloc() {alignment = 64 : i64} : memref<16xf32>
  %b = memref.alloc() {alignment = 64 : i64} : memref<32xi64>
  linalg.copy ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.copy ins(%y : memref<32xi64>) outs(%b : memref<32xi64>)
  linalg.copy ins(%a : memref<16xf32>) outs(%o : memref<16xf32>)
  linalg.copy ins(%b : memref<32xi64>) outs(%p : memref<32xi64>)
  memref.dealloc %a : memref<16xf32>
  memref.dealloc %b : memref<32xi64>
  return
}
