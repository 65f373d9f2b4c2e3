// A44. hip-ep MaterializeHostScalars.cpp, its filter: float, more than 16 elements, dynamic, or an unknown user.
// Right: the scalar is in host scratch, which host and device both address.
// RUN: exits 0 smtalloc races %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%ctx: !hip.context, %v: f32, %x: memref<64xf32>, %o: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %size = arith.constant 256 : index
  %scratch = hip.get_host_scratch(%ctx, %size) : memref<?xi8>
  %s = memref.view %scratch[%c0][] : memref<?xi8> to memref<f32>
  memref.store %v, %s[] : memref<f32>
  hip.mul(%ctx) ins(%x, %s : memref<64xf32>, memref<f32>) outs(%o : memref<64xf32>)
  return
}
