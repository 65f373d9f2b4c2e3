// hip.get_host_scratch: one buffer per runtime, and every function starts at its first byte.
// Right: @g, which @f calls, has its scalar in memory of its own.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/scratch-callee.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%ctx: !hip.context, %v: i64, %o: memref<i64>, %p: memref<i64>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %scratch = hip.get_host_scratch(%ctx, %c64) : memref<?xi8>
  %a = memref.view %scratch[%c0][] : memref<?xi8> to memref<i64>
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
