func.func private @g(%x: memref<8xf32>)
func.func @f(%x: memref<8xf32>, %y: memref<8xf32>, %n : index) {
  %c0 = arith.constant 0 : index
  %t = async.execute {
    memref.copy %x, %y : memref<8xf32> to memref<8xf32>
    async.yield
  }
  %t2, %v = async.execute [%t] -> !async.value<memref<8xf32>> {
    %a = memref.alloc() : memref<8xf32>
    async.yield %a : memref<8xf32>
  }
  %t3, %r = async.execute [%t, %t2] (%v as %w : !async.value<memref<8xf32>>) -> !async.value<f32> {
    %e = memref.load %w[%c0] : memref<8xf32>
    async.yield %e : f32
  }
  async.await %t : !async.token
  %m = async.await %v : !async.value<memref<8xf32>>
  %g = async.create_group %n : !async.group
  %i = async.add_to_group %t3, %g : !async.token
  %i2 = async.add_to_group %r, %g : !async.value<f32>
  async.await_all %g
  memref.dealloc %m : memref<8xf32>
  return
}
async.func @af(%x: memref<8xf32>) -> !async.token {
  return
}
func.func @h(%x: memref<8xf32>) {
  %t = async.call @af(%x) : (memref<8xf32>) -> !async.token
  async.await %t : !async.token
  return
}
