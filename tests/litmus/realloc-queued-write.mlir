// memref.realloc copies on the host, at once (MLIR: memref.realloc; C: realloc).
// Goes wrong: the kernel that writes %a is still queued when the host copies what %a holds.
// RUN: exits 1 smtalloc races %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %a: memref.realloc at {{.*}} does not wait for hip.neg at
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %s: memref<i64>, %o: memref<16xf32>) {
  %a = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  %b = memref.realloc %a : memref<8xf32> to memref<16xf32>
  hip.fill(%ctx) ins(%b : memref<16xf32>) outs(%o : memref<16xf32>)
  return
}
