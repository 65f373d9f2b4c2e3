// A15. hip-ep runtime_loop.cpp: host-mapped memory, stored to once per iteration. As gpu.alloc host_shared.
// Goes wrong: the host stores the next value before the first kernel reads.
// RUN: exits 1 smtalloc races %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %iter: memref.store at {{.*}} does not wait for gpu.launch_func at {{.*}}, and may run first
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k(%i: memref<f32>, %o: memref<f32>) kernel {
      %v = memref.load %i[] : memref<f32>
      memref.store %v, %o[] : memref<f32>
      gpu.return
    }
  }
  func.func @f(%v: f32, %w: f32, %o: memref<f32>, %p: memref<f32>) {
    %c1 = arith.constant 1 : index
    %iter = gpu.alloc host_shared () : memref<f32>
    memref.store %v, %iter[] : memref<f32>
    %t = gpu.launch_func async @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%iter : memref<f32>, %o : memref<f32>)
    memref.store %w, %iter[] : memref<f32>
    %u = gpu.launch_func async [%t] @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%iter : memref<f32>, %p : memref<f32>)
    gpu.wait [%u]
    gpu.dealloc %iter : memref<f32>
    return
  }
}
