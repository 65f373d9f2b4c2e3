func.func @f(%x: memref<8xf32>, %o: memref<8xf32>) {
  %root = memref.alloc() : memref<8xf32>
  "compq.map"(%x, %root) : (memref<8xf32>, memref<8xf32>) -> ()
  "host.wait_compq"() : () -> ()
  %t = memref.alloc() : memref<8xf32>
  %left = memref.alloc() : memref<8xf32>
  "compq.map"(%root, %t) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%t, %left) : (memref<8xf32>, memref<8xf32>) -> ()
  "host.wait_compq"() : () -> ()
  %u = memref.alloc() : memref<8xf32>
  "copyq.copy"(%root, %u) : (memref<8xf32>, memref<8xf32>) -> ()
  "host.wait_all"() : () -> ()
  "compq.zip"(%left, %u, %o) : (memref<8xf32>, memref<8xf32>, memref<8xf32>) -> ()
  return
}
