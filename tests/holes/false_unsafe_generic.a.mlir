func.func @f(%x: memref<8xf32>, %y: memref<8xf32>, %o: memref<8xf32>)  {
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xf32>
  linalg.copy ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>], iterator_types = ["reduction"]} ins(%x : memref<8xf32>) outs(%a : memref<8xf32>) {
  ^bb0(%i: f32, %j: f32):
    linalg.yield %i : f32
  }
  %l = memref.load %a[%c1] : memref<8xf32>
  %c0 = arith.constant 0 : index
  %m = memref.load %a[%c0] : memref<8xf32>
  %s = arith.addf %l, %m : f32
  memref.store %s, %o[%c1] : memref<8xf32>
  return
}
