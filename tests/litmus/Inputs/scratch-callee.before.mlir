func.func @f(%ctx: !hip.context, %v: i64, %o: memref<i64>, %p: memref<i64>) {
  %a = memref.alloc() : memref<i64>
  memref.store %v, %a[] : memref<i64>
  func.call @g(%ctx, %v, %p) : (!hip.context, i64, memref<i64>) -> ()
  hip.cast(%ctx) ins(%a : memref<i64>) outs(%o : memref<i64>)
  return
}
func.func private @g(%ctx: !hip.context, %v: i64, %p: memref<i64>) {
  %b = memref.alloc() : memref<i64>
  %w = arith.addi %v, %v : i64
  memref.store %w, %b[] : memref<i64>
  hip.cast(%ctx) ins(%b : memref<i64>) outs(%p : memref<i64>)
  return
}
