func.func @f(%ctx: !hip.context)  {
  %a = hip.alloc_output(%ctx) {out_idx = 0 : i64} : memref<8xf32>
  return
}
