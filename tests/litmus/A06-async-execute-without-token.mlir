// A06. Producer and consumer without an edge between them. MLIR's async dialect.
// Goes wrong: the second task does not take the token of the first.
// RUN: exits 1 smtalloc races %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %s: memref.load at {{.*}}:14:5 does not wait for memref.store at {{.*}}:10:5, and may run first
func.func @f(%x: memref<8xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %s = memref.alloc() : memref<8xf32>
  %t = async.execute {
    memref.store %v, %s[%c0] : memref<8xf32>
    async.yield
  }
  %u = async.execute {
    %e = memref.load %s[%c0] : memref<8xf32>
    memref.store %e, %x[%c0] : memref<8xf32>
    async.yield
  }
  async.await %t : !async.token
  async.await %u : !async.token
  return
}
