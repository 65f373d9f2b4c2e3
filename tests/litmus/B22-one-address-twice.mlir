// B22. ggml #700: a user sees two intermediates at one address and asks whether that is a bug.
// Right (negative test): their lives are disjoint on one queue; `explain` says so.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/B22-one-address-twice.before.mlir %s | filecheck %s
// RUN: exits 0 smtalloc explain %inputs/B22-one-address-twice.before.mlir %%a %%b | filecheck %s --check-prefix WHY
// CHECK: @f: SAFE
// CHECK: shared: %a before %b: hip.neg at {{.*}}:4:3, then hip.exp at {{.*}}:6:3 (both on stream)
// WHY: happens-before   yes
// WHY: every access of %a happens before every access of %b
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %p: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  hip.neg(%ctx) ins(%a : memref<8xf32>) outs(%o : memref<8xf32>)
  hip.exp(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  hip.neg(%ctx) ins(%a : memref<8xf32>) outs(%p : memref<8xf32>)
  return
}
