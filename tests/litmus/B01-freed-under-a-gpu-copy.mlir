// B01. onnxruntime #4829, #5769: memory is freed while a copy from it is queued. As gpu.dealloc async.
// Goes wrong: the dealloc takes the token of the copy to %d, not of the copy from it.
// RUN: exits 1 smtalloc races %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %d: gpu.dealloc at {{.*}} does not wait for gpu.memcpy at {{.*}}:10:3, and may run first
func.func @f(%x: memref<8xf32>, %o: memref<8xf32>) {
  %t0 = gpu.wait async
  %d, %t1 = gpu.alloc async [%t0] () : memref<8xf32>
  %t2 = gpu.memcpy async [%t1] %d, %x : memref<8xf32>, memref<8xf32>
  %t3 = gpu.memcpy async [%t2] %o, %d : memref<8xf32>, memref<8xf32>
  %t4 = gpu.dealloc async [%t2] %d : memref<8xf32>
  gpu.wait [%t3, %t4]
  return
}
