func.func @f(%ctx: !hip.context, %n: index, %x: memref<?xf32>)  {
  %a = hip.alloc_output(%ctx, %n) {out_idx = 0 : i64} : memref<?xf32>
  hip.relu(%ctx) ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  return
}
