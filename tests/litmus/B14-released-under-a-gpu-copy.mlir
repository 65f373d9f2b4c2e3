// B14. torchrec #4231: the host releases memory that a side copy still reads. As gpu.dealloc of the host.
// Goes wrong: the host frees at once and waits then.
// RUN: exits 1 smtalloc races %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %d: gpu.dealloc at {{.*}} does not wait for gpu.memcpy at {{.*}}, and may run first
func.func @f(%x: memref<8xf32>, %o: memref<8xf32>) {
  %d = gpu.alloc () : memref<8xf32>
  gpu.memcpy %d, %x : memref<8xf32>, memref<8xf32>
  %t = gpu.memcpy async %o, %d : memref<8xf32>, memref<8xf32>
  gpu.dealloc %d : memref<8xf32>
  gpu.wait [%t]
  return
}
