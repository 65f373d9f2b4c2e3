// A05. hip-ep #357, #371: the host loads what the device has yet to write. As a gpu token.
// Goes wrong: nobody waits for the token.
// RUN: exits 1 smtalloc races %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %s: memref.load at {{.*}} does not wait for gpu.memcpy at {{.*}}, and may run first
func.func @f(%x: memref<8xf32>, %y: memref<8xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %s = memref.alloc() : memref<8xf32>
  %t = gpu.memcpy async %s, %x : memref<8xf32>, memref<8xf32>
  %v = memref.load %s[%c0] : memref<8xf32>
  return %v : f32
}
