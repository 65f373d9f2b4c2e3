// A01. The host stores into what a kernel still reads. A gpu.launch with its body.
// Goes wrong: with `async` the host runs on.
// RUN: exits 1 smtalloc races %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %s: memref.store at {{.*}}:17:3 does not wait for gpu.launch at {{.*}}, and may run first
func.func @f(%x: memref<8xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = memref.alloc() : memref<8xf32>
  %r = gpu.memcpy async %s, %x : memref<8xf32>, memref<8xf32>
  gpu.wait [%r]
  %t = gpu.launch async blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %e = memref.load %s[%tx] : memref<8xf32>
    memref.store %e, %x[%tx] : memref<8xf32>
    gpu.terminator
  }
  memref.store %v, %s[%c0] : memref<8xf32>
  %u = gpu.memcpy async [%t] %x, %s : memref<8xf32>, memref<8xf32>
  gpu.wait [%t, %u]
  return
}
