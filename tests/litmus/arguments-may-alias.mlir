// Arguments may be one memory only where the module says so (`smtalloc.may_alias`, a number for each group).
// Not shown to be right: the host stores into %y while the kernel that reads %x, which may be the same, is queued.
// RUN: exits 3 smtalloc races %s | filecheck %s
// CHECK: @f: UNKNOWN: %{{[xy]}}: memref.store at {{.*}} does not wait for hip.neg at {{.*}}, and may run first
func.func @f(%ctx: !hip.context, %x: memref<8xf32> {smtalloc.may_alias = 0 : i64}, %y: memref<8xf32> {smtalloc.may_alias = 0 : i64}, %o: memref<8xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%o : memref<8xf32>)
  memref.store %v, %y[%c0] : memref<8xf32>
  return
}
