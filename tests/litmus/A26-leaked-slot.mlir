// A26, the other way round: the deallocs of both members of a slot go away.
// Goes wrong: nobody frees %a any more.
// RUN: exits 1 smtalloc verify %inputs/leak.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (leak)
// CHECK: leak: %a is never freed; before, %a, %b are
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  hip.neg(%ctx) ins(%a : memref<8xf32>) outs(%o : memref<8xf32>)
  hip.neg(%ctx) ins(%o : memref<8xf32>) outs(%a : memref<8xf32>)
  hip.neg(%ctx) ins(%a : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
