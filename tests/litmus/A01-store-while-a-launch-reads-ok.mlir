// A01. The host stores into what a kernel still reads. A gpu.launch with its body.
// Right: without it the host waits until the launch is over.
// RUN: exits 0 smtalloc races %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%x: memref<8xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = memref.alloc() : memref<8xf32>
  %r = gpu.memcpy async %s, %x : memref<8xf32>, memref<8xf32>
  gpu.wait [%r]
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %e = memref.load %s[%tx] : memref<8xf32>
    memref.store %e, %x[%tx] : memref<8xf32>
    gpu.terminator
  }
  memref.store %v, %s[%c0] : memref<8xf32>
  %u = gpu.memcpy async %x, %s : memref<8xf32>, memref<8xf32>
  gpu.wait [%u]
  return
}
