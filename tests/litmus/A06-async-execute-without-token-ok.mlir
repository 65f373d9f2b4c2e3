// A06. Producer and consumer without an edge between them. MLIR's async dialect.
// Right: it does.
// RUN: exits 0 smtalloc races %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%x: memref<8xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %s = memref.alloc() : memref<8xf32>
  %t = async.execute {
    memref.store %v, %s[%c0] : memref<8xf32>
    async.yield
  }
  %u = async.execute [%t] {
    %e = memref.load %s[%c0] : memref<8xf32>
    memref.store %e, %x[%c0] : memref<8xf32>
    async.yield
  }
  async.await %t : !async.token
  async.await %u : !async.token
  return
}
