// A44. hip-ep MaterializeHostScalars.cpp, its filter: float, more than 16 elements, dynamic, or an unknown user.
// Goes wrong: a float scalar that the host stores is not redirected to host scratch and stays in the device pool.
// RUN: exits 1 smtalloc races %s | filecheck %s
// CHECK: @f: UNSAFE (space-violation)
// CHECK: space-violation: {{.*}}memref.store
func.func @f(%ctx: !hip.context, %v: f32, %x: memref<64xf32>, %o: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %size = arith.constant 256 : index
  %pool = hip.get_pool(%ctx, %size) {domain_id = 0 : i64} : memref<?xi8>
  %s = memref.view %pool[%c0][] : memref<?xi8> to memref<f32>
  memref.store %v, %s[] : memref<f32>
  hip.mul(%ctx) ins(%x, %s : memref<64xf32>, memref<f32>) outs(%o : memref<64xf32>)
  return
}
