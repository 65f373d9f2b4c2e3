func.func @f(%x: memref<8xf32>, %y: memref<8xf32>, %o: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  "compq.map"(%x, %a) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%y, %b) : (memref<8xf32>, memref<8xf32>) -> ()
  %c = memref.alloc() : memref<8xf32>
  "compq.zip_over"(%a, %b, %c) : (memref<8xf32>, memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%c, %o) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
