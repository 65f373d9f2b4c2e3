func.func @f(%v: f32, %w: f32, %o: memref<f32>, %p: memref<f32>) {
  %a = memref.alloc() : memref<f32>
  memref.store %v, %a[] : memref<f32>
  "compq.map"(%a, %o) : (memref<f32>, memref<f32>) -> ()
  "host.wait_compq"() : () -> ()
  %b = memref.alloc() : memref<f32>
  memref.store %w, %b[] : memref<f32>
  "compq.map"(%b, %p) : (memref<f32>, memref<f32>) -> ()
  return
}
