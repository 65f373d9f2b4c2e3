// RUN: smtalloc plan %s --emit mlir | filecheck %s
// RUN: smtalloc plan %s --emit mlir | smtalloc verify %s -

// One element type: the slot has the largest member's type and the strictest alignment, the others are casts of it.
// The deallocations become one, behind the last use.

// CHECK-LABEL: func.func @f
// CHECK:       %slot = memref.alloc() {alignment = 256 : i64} : memref<64xf32>
// CHECK-NEXT:  %s_0 = memref.reinterpret_cast %slot to offset: [0], sizes: [32], strides: [1] : memref<64xf32> to memref<32xf32>
// CHECK-NEXT:  hip.add(%ctx) ins(%a, %a : memref<32xf32>, memref<32xf32>) outs(%s_0 : memref<32xf32>)
// CHECK-NEXT:  hip.expand(%ctx) ins(%s_0 : memref<32xf32>) outs(%o : memref<64xf32>)
// CHECK-NEXT:  hip.add(%ctx) ins(%o, %o : memref<64xf32>, memref<64xf32>) outs(%slot : memref<64xf32>)
// CHECK-NEXT:  hip.add(%ctx) ins(%slot, %o : memref<64xf32>, memref<64xf32>) outs(%o : memref<64xf32>)
// CHECK-NEXT:  memref.dealloc %slot : memref<64xf32>
// CHECK-NEXT:  return
func.func @f(%ctx: !hip.context, %a: memref<32xf32>, %o: memref<64xf32>) {
  %s = memref.alloc() {alignment = 16 : i64} : memref<32xf32>
  hip.add(%ctx) ins(%a, %a : memref<32xf32>, memref<32xf32>) outs(%s : memref<32xf32>)
  hip.expand(%ctx) ins(%s : memref<32xf32>) outs(%o : memref<64xf32>)
  memref.dealloc %s : memref<32xf32>
  %t = memref.alloc() {alignment = 256 : i64} : memref<64xf32>
  hip.add(%ctx) ins(%o, %o : memref<64xf32>, memref<64xf32>) outs(%t : memref<64xf32>)
  hip.add(%ctx) ins(%t, %o : memref<64xf32>, memref<64xf32>) outs(%o : memref<64xf32>)
  memref.dealloc %t : memref<64xf32>
  return
}
