// A05. hip-ep #357, #371: the host loads what the device has yet to write. As a gpu token.
// Right: the host waits for it.
// RUN: exits 0 smtalloc races %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%x: memref<8xf32>, %y: memref<8xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %s = memref.alloc() : memref<8xf32>
  %t = gpu.memcpy async %s, %x : memref<8xf32>, memref<8xf32>
  gpu.wait [%t]
  %v = memref.load %s[%c0] : memref<8xf32>
  return %v : f32
}
