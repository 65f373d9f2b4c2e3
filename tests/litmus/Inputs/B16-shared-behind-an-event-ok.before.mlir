func.func @f(%one: !dev.stream, %two: !dev.stream, %e: !dev.event, %x: memref<8xf32>, %y: memref<8xf32>, %o: memref<8xf32>, %p: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  "dev.map"(%one, %x, %a) : (!dev.stream, memref<8xf32>, memref<8xf32>) -> ()
  "dev.map"(%one, %a, %o) : (!dev.stream, memref<8xf32>, memref<8xf32>) -> ()
  "dev.record"(%one, %e) : (!dev.stream, !dev.event) -> ()
  "dev.stream_wait"(%two, %e) : (!dev.stream, !dev.event) -> ()
  "dev.map"(%two, %y, %b) : (!dev.stream, memref<8xf32>, memref<8xf32>) -> ()
  "dev.map"(%two, %b, %p) : (!dev.stream, memref<8xf32>, memref<8xf32>) -> ()
  return
}
