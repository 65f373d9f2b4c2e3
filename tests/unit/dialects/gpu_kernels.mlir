module attributes {gpu.container_module} {
  gpu.module @m [#nvvm.target<chip = "sm_90">] attributes {some = 1 : i32} {
    memref.global "private" @g : memref<4xf32> = dense<0.0>
    func.func private @dev(%x : f32) -> f32 { return %x : f32 }
    gpu.func @k(%a: memref<8xf32> {llvm.noalias}, %b: memref<8xf32>) -> () workgroup(%w : memref<4xf32, 3> {llvm.align = 16}) kernel attributes {some.attr} {
      %i = gpu.thread_id x
      %bd = gpu.block_dim x upper_bound 64
      %bi = gpu.block_id y
      %gd = gpu.grid_dim z
      %l = gpu.lane_id
      %gi = gpu.global_id x
      %ss = gpu.subgroup_size : index
      %sid = gpu.subgroup_id : index
      %v = memref.load %a[%i] : memref<8xf32>
      %ar = gpu.all_reduce add %v uniform {} : (f32) -> (f32)
      %o = arith.constant 1 : i32
      %wd = arith.constant 32 : i32
      %s, %p = gpu.shuffle xor %v, %o, %wd : f32
      gpu.printf "hi %f", %s : f32
      gpu.barrier
      %c = func.call @dev(%s) : (f32) -> f32
      memref.store %s, %b[%i] : memref<8xf32>
      %sr = gpu.subgroup_reduce add %v : (f32) -> f32
      gpu.return
    }
    gpu.func @helper(%x : f32) -> f32 { gpu.return %x : f32 }
  }
  func.func @f(%x: memref<8xf32>, %s: memref<?xf32, strided<[1], offset: ?>>, %st : !llvm.ptr, %k : index, %ci : i32) {
    %c1 = arith.constant 1 : index
    gpu.launch_func <%st : !llvm.ptr> @m::@k blocks in (%ci, %ci, %ci) threads in (%ci, %ci, %ci) : i32 args(%x : memref<8xf32>, %x : memref<8xf32>)
    %a = gpu.launch_func async @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<8xf32>, %x : memref<8xf32>) {some = 1 : i32}
    %c:2 = "test.op"() : () -> (!gpu.async.token, index)
    %m, %t = gpu.alloc async [%a, %c#0] (%k)[%k] : memref<?xf32, affine_map<(d0)[s0] -> (d0 + s0)>>
    return
  }
}
