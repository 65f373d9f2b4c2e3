func.func @f(%x: memref<16xi4>, %o: memref<16xi4>) {
  %s = memref.alloc() : memref<16xi4>
  "compq.map"(%x, %s) : (memref<16xi4>, memref<16xi4>) -> ()
  "compq.map"(%s, %o) : (memref<16xi4>, memref<16xi4>) -> ()
  return
}
