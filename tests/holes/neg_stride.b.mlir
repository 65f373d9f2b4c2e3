func.func @f(%x: f32, %y: f32, %ctx: !hip.context, %o: memref<1xf32>)  {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<1xf32>
  %r = memref.reinterpret_cast %a to offset: [7], sizes: [8], strides: [-1] : memref<8xf32> to memref<8xf32, strided<[-1], offset: 7>>
  memref.store %x, %r[%c0] : memref<8xf32, strided<[-1], offset: 7>>
  memref.store %y, %b[%c0] : memref<1xf32>
  %l = memref.load %r[%c0] : memref<8xf32, strided<[-1], offset: 7>>
  %m = memref.load %b[%c0] : memref<1xf32>
  "hip.use"(%ctx, %l, %m) : (!hip.context, f32, f32) -> ()
  return
}
