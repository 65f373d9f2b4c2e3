// B16. llama.cpp #2757: a barrier that not everybody has reached. An async.group.
// Goes wrong: the second task is not in the group, and may still read %y when the host writes it.
// RUN: exits 1 smtalloc races %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %y: memref.copy at {{.*}} does not wait for memref.copy at {{.*}}, and may run first
func.func @f(%x: memref<f32>, %y: memref<f32>) {
  %c2 = arith.constant 2 : index
  %s = memref.alloc() : memref<f32>
  %t = async.execute {
    memref.copy %x, %s : memref<f32> to memref<f32>
    async.yield
  }
  %u = async.execute [%t] {
    memref.copy %y, %x : memref<f32> to memref<f32>
    async.yield
  }
  %g = async.create_group %c2 : !async.group
  %i = async.add_to_group %t, %g : !async.token
  async.await_all %g
  memref.copy %s, %y : memref<f32> to memref<f32>
  return
}
