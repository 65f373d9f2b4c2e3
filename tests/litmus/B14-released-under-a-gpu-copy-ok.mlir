// B14. torchrec #4231: the host releases memory that a side copy still reads. As gpu.dealloc of the host.
// Right: it waits first.
// RUN: exits 0 smtalloc races %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%x: memref<8xf32>, %o: memref<8xf32>) {
  %d = gpu.alloc () : memref<8xf32>
  gpu.memcpy %d, %x : memref<8xf32>, memref<8xf32>
  %t = gpu.memcpy async %o, %d : memref<8xf32>, memref<8xf32>
  gpu.wait [%t]
  gpu.dealloc %d : memref<8xf32>
  return
}
