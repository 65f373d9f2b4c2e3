// B04. onnxruntime #7645: a kernel writes over the input of another consumer. A kernel whose body is in the module.
// Goes wrong: @k stores to its first argument, which the copy reads at the same time.
// RUN: exits 1 smtalloc races %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %x: gpu.memcpy at {{.*}} does not wait for gpu.launch_func at {{.*}}, and may run first
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k(%a: memref<8xf32>, %b: memref<8xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %b[%i] : memref<8xf32>
      memref.store %v, %a[%i] : memref<8xf32>
      gpu.return
    }
  }
  func.func @f(%x: memref<8xf32>, %o: memref<8xf32>, %w: memref<8xf32>) {
    %c1 = arith.constant 1 : index
    %t = gpu.launch_func async @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<8xf32>, %o : memref<8xf32>)
    %u = gpu.memcpy async %w, %x : memref<8xf32>, memref<8xf32>
    gpu.wait [%t, %u]
    return
  }
}
