func.func @f(%x: memref<8xf32>, %o: memref<8xf32>)  {
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  linalg.copy ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  linalg.exp ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
  linalg.copy ins(%b : memref<8xf32>) outs(%o : memref<8xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>], iterator_types = ["reduction"]} ins(%x : memref<8xf32>) outs(%a : memref<8xf32>) {
  ^bb0(%i: f32, %j: f32):
    linalg.yield %i : f32
  }
  linalg.copy ins(%a : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
