func.func @f(%a: memref<8xf32>, %z: memref<8xf32>, %o: memref<8xf32>)  {
  "linalg.add"(%a, %z, %o) <{operandSegmentSizes = array<i32: 1, 2>}> ({
  ^bb0(%i: f32, %j: f32, %k: f32):
    %s = arith.addf %i, %j : f32
    linalg.yield %s : f32
  }) : (memref<8xf32>, memref<8xf32>, memref<8xf32>) -> ()
  return
}
