func.func @f(%x: f32, %y: f32, %z: memref<1xf32>)  {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<1xf32>
  memref.store %x, %a[%c0] : memref<1xf32>
  %tok = "foo.async"() ({
    %l = memref.load %a[%c0] : memref<1xf32>
    memref.store %l, %z[%c0] : memref<1xf32>
    "foo.yield"() : () -> ()
  }) : () -> !foo.token
  memref.store %y, %a[%c0] : memref<1xf32>
  %m = memref.load %a[%c0] : memref<1xf32>
  "foo.use"(%m) : (f32) -> ()
  "async.await"(%tok) : (!foo.token) -> ()
  return
}
