module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k(%a: memref<8xf32>, %b: memref<8xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %a[%i] : memref<8xf32>
      memref.store %v, %b[%i] : memref<8xf32>
      gpu.return
    }
    gpu.func @k2(%a: memref<8xf32>, %n : index) workgroup(%w: memref<4xf32, 3>) private(%p : memref<1xf32, 5>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.barrier
      gpu.return
    }
  }
  func.func @f(%x: memref<8xf32>, %y: memref<8xf32>, %s : index, %f : f32) {
    %c1 = arith.constant 1 : index
    %sm = arith.constant 16 : i32
    %t0 = gpu.wait async
    %d, %t1 = gpu.alloc async [%t0] () : memref<8xf32>
    %dd, %t1b = gpu.alloc async [%t0] (%s) {alignment = 16 : i64} : memref<?xf32>
    %d2 = gpu.alloc (%s) : memref<?xf32>
    %hs = gpu.alloc host_shared () : memref<8xf32>
    %t2 = gpu.memcpy async [%t1] %d, %x : memref<8xf32>, memref<8xf32>
    %t3 = gpu.launch_func async [%t2, %t1b] @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) dynamic_shared_memory_size %sm args(%d : memref<8xf32>, %y : memref<8xf32>)
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<8xf32>, %y : memref<8xf32>)
    gpu.launch_func @m::@k clusters in (%c1, %c1, %c1) blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<8xf32>, %y : memref<8xf32>)
    %t4 = gpu.memset async [%t3] %d, %f : memref<8xf32>, f32
    gpu.memcpy %d, %x : memref<8xf32>, memref<8xf32>
    gpu.memset %d, %f : memref<8xf32>, f32
    %t5 = gpu.launch async [%t4] blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      %v = memref.load %d[%tx] : memref<8xf32>
      memref.store %v, %y[%tx] : memref<8xf32>
      gpu.terminator
    }
    gpu.launch clusters(%cx, %cy, %cz) in (%kx = %c1, %ky = %c1, %kz = %c1) blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) dynamic_shared_memory_size %sm workgroup(%w : memref<4xf32, 3>) private(%pp : memref<4xf32, 5>) {
      gpu.terminator
    } {some = 1 : i32}
    %t6 = gpu.dealloc async [%t5] %d : memref<8xf32>
    gpu.dealloc %d2 : memref<?xf32>
    gpu.wait [%t6]
    gpu.wait
    %u = memref.cast %x : memref<8xf32> to memref<*xf32>
    gpu.host_register %u : memref<*xf32>
    gpu.host_unregister %u : memref<*xf32>
    gpu.set_default_device %sm
    return
  }
}
