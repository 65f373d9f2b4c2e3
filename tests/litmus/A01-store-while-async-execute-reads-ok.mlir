// A01. The host stores into what a task still reads. MLIR's async dialect.
// Right: the host awaits the token first.
// RUN: exits 0 smtalloc races %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%x: memref<8xf32>, %v: f32, %w: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %s = memref.alloc() : memref<8xf32>
  memref.store %v, %s[%c0] : memref<8xf32>
  %t = async.execute {
    %e = memref.load %s[%c0] : memref<8xf32>
    memref.store %e, %x[%c0] : memref<8xf32>
    async.yield
  }
  async.await %t : !async.token
  memref.store %w, %s[%c0] : memref<8xf32>
  async.await %t : !async.token
  %r = memref.load %s[%c0] : memref<8xf32>
  return %r : f32
}
