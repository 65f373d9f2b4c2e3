func.func @f(%x: f32, %y: f32, %mm: memref<memref<8xf32>>, %ctx: !hip.context)  {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf32>
  memref.store %a, %mm[] : memref<memref<8xf32>>
  %p = memref.load %mm[] : memref<memref<8xf32>>
  memref.store %x, %p[%c0] : memref<8xf32>
  memref.store %y, %a[%c0] : memref<8xf32>
  %m = memref.load %a[%c0] : memref<8xf32>
  %l = memref.load %p[%c0] : memref<8xf32>
  "hip.use"(%ctx, %l, %m) : (!hip.context, f32, f32) -> ()
  return
}
