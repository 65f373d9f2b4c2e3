func.func private @p(memref<*xf32>)
func.func @f(%ctx: !hip.context, %a: memref<2x8xf32>)  {
  %c = memref.collapse_shape %a [[0,1]] : memref<2x8xf32> into memref<16xf32>
  %u = memref.cast %c : memref<16xf32> to memref<*xf32>
  func.call @p(%u) : (memref<*xf32>) -> ()
  return
}
