// B61, in a loop: pinned memory is refilled while a copy of it is queued; tokens are recorded anew in each iteration.
// Right: each copy is awaited before the memory is filled again.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/gpu-loop-of-copies-ok.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%n: index, %x: memref<8xf32>, %o: memref<8xf32>, %h: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    %s = memref.alloc() : memref<8xf32>
    memref.store %v, %s[%c0] : memref<8xf32>
    %t0 = gpu.wait async
    %t1 = gpu.memcpy async [%t0] %o, %s : memref<8xf32>, memref<8xf32>
    gpu.wait [%t1]

    memref.store %v, %s[%c0] : memref<8xf32>
    %t2 = gpu.wait async
    %t3 = gpu.memcpy async [%t2] %o, %s : memref<8xf32>, memref<8xf32>
    gpu.wait [%t3]
  }
  return
}
