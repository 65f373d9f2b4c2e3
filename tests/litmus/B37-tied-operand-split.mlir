// B37. iree #19355, #19389: a transient that is tied to an operand gets storage of its own.
// Goes wrong: hip.gqa continues the state in %past, but in AFTER it is handed fresh memory, without that state.
// RUN: exits 1 smtalloc verify %inputs/B37-tied-operand-split.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (must-alias-broken)
// CHECK: must-alias-broken: %past: {{.*}}hip.gqa at
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>) {
  %past = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%past : memref<8xf32>)
  %fresh = memref.alloc() : memref<8xf32>
  hip.gqa(%ctx) ins(%x : memref<8xf32>) outs(%o, %fresh : memref<8xf32>, memref<8xf32>)
  return
}
