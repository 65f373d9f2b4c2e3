// B37. iree #19355, #19389: a transient that is tied to an operand gets storage of its own.
// Right: the state stays where it is for both ops, wherever that is.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/B37-tied-operand-split.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>) {
  %fresh = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%fresh : memref<8xf32>)
  hip.gqa(%ctx) ins(%x : memref<8xf32>) outs(%o, %fresh : memref<8xf32>, memref<8xf32>)
  return
}
