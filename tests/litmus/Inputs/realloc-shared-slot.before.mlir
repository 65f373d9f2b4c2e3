func.func @f(%v: f32, %o: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  memref.store %v, %a[%c0] : memref<4xf32>
  %b = memref.realloc %a : memref<4xf32> to memref<8xf32>
  %t = memref.alloc() : memref<4xf32>
  memref.store %v, %t[%c0] : memref<4xf32>
  %w = memref.load %t[%c0] : memref<4xf32>
  memref.store %w, %o[%c0] : memref<8xf32>
  %u = memref.load %b[%c0] : memref<8xf32>
  memref.store %u, %o[%c0] : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  memref.dealloc %t : memref<4xf32>
  return
}
