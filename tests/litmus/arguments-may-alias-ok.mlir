// Arguments may be one memory only where the module says so (`smtalloc.may_alias`, a number for each group).
// Right: %x and %y are in different groups, so the store meets nothing that is queued.
// RUN: exits 0 smtalloc races %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%ctx: !hip.context, %x: memref<8xf32> {smtalloc.may_alias = 0 : i64}, %y: memref<8xf32> {smtalloc.may_alias = 1 : i64}, %o: memref<8xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%o : memref<8xf32>)
  memref.store %v, %y[%c0] : memref<8xf32>
  return
}
