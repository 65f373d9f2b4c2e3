func.func private @p(memref<*xf32>)
func.func @f(%ctx: !hip.context, %a: memref<2x8xf32>)  {
  %u = memref.cast %a : memref<2x8xf32> to memref<*xf32>
  func.call @p(%u) : (memref<*xf32>) -> ()
  return
}
