module @m1 {
memref.global "private" constant @g : memref<1xf32> = dense<1.0>
func.func @f(%ctx: !hip.context, %o: memref<1xf32>)  {
  %a = memref.get_global @g : memref<1xf32>
  hip.relu(%ctx) ins(%a: memref<1xf32>) outs(%o: memref<1xf32>)
  return
}
}
module @m2 {
memref.global "private" constant @g : memref<1xf32> = dense<3.0>
}
