func.func @f(%x: memref<8xf32>, %o: memref<8xf32>, %p: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  "compq.map"(%x, %a) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%a, %o) : (memref<8xf32>, memref<8xf32>) -> ()
  memref.dealloc %a : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  "compq.map"(%x, %b) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%b, %p) : (memref<8xf32>, memref<8xf32>) -> ()
  memref.dealloc %b : memref<8xf32>
  return
}
