// B01. onnxruntime #4829, #5769: memory is freed while a copy from it is queued. As gpu.dealloc async.
// Right: it takes the last one.
// RUN: exits 0 smtalloc races %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%x: memref<8xf32>, %o: memref<8xf32>) {
  %t0 = gpu.wait async
  %d, %t1 = gpu.alloc async [%t0] () : memref<8xf32>
  %t2 = gpu.memcpy async [%t1] %d, %x : memref<8xf32>, memref<8xf32>
  %t3 = gpu.memcpy async [%t2] %o, %d : memref<8xf32>, memref<8xf32>
  %t4 = gpu.dealloc async [%t3] %d : memref<8xf32>
  gpu.wait [%t3, %t4]
  return
}
