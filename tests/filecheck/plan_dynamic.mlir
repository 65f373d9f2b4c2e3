// RUN: smtalloc plan %s --emit mlir | filecheck %s
// RUN: smtalloc plan %s --types strict --emit mlir | filecheck %s --check-prefix STRICT
// RUN: smtalloc plan %s --emit mlir | smtalloc verify %s -
// RUN: smtalloc plan %s --types strict --emit mlir | smtalloc verify %s -
// RUN: smtalloc plan %s --bind n=10 | filecheck %s --check-prefix BOUND

// The slot has the size of %u, which is proven to be the largest for all %n. It is computed too late for %s, so a copy
// of the computation stands in front of the slot. Strides of a dynamic shape are computed as well.

// CHECK:       %n = memref.dim %a, %c0
// CHECK-NEXT:  %[[C2:.*]] = arith.constant 2 : index
// CHECK-NEXT:  %[[N2:.*]] = arith.muli %n, %[[C2]] : index
// CHECK-NEXT:  %slot = memref.alloc(%[[N2]]) {alignment = 4 : i64} : memref<?x512xi8>
// CHECK-NEXT:  %flat = memref.collapse_shape %slot {{\[\[}}0, 1{{\]\]}} : memref<?x512xi8> into memref<?xi8>
// CHECK:       %s_0 = memref.view %flat[%[[C0:.*]]][%n] : memref<?xi8> to memref<?x64xf32>
// CHECK:       %t_0 = memref.view %flat[%[[C0]]][%n2] : memref<?xi8> to memref<?x64xf16>
// CHECK:       %u_0 = memref.view %flat[%[[C0]]][%n2] : memref<?xi8> to memref<4x?x32xf32>
// CHECK:       memref.dealloc %slot : memref<?x512xi8>

// STRICT:      %slot = memref.alloc(%[[N2:.*]]) : memref<4x?x32xf32>
// STRICT:      %s_0 = memref.reinterpret_cast %slot to offset: [0], sizes: [%n, 64], strides: [64, 1] : memref<4x?x32xf32> to memref<?x64xf32>
// STRICT:      %t = memref.alloc(%n2) : memref<?x64xf16>
// STRICT:      %[[C32:.*]] = arith.constant 32 : index
// STRICT-NEXT: %[[STRIDE:.*]] = arith.muli %n2, %[[C32]] : index
// STRICT-NEXT: %u_0 = memref.reinterpret_cast %slot to offset: [0], sizes: [4, %n2, 32], strides: [%[[STRIDE]], 32, 1] : memref<4x?x32xf32> to memref<4x?x32xf32>

// BOUND:       @f: OPTIMAL, 10,240 bytes in 1 slot; without reuse 15,360
// BOUND:       %s %t %u  = 1024*%a[0]
// BOUND:       valid for all %a[0] in 0..2,147,483,647
// BOUND:       minimal at %a[0] = 10
func.func @f(%ctx: !hip.context, %a: memref<?x64xf32>, %o: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?x64xf32>
  %s = memref.alloc(%n) : memref<?x64xf32>
  hip.add(%ctx) ins(%a, %a : memref<?x64xf32>, memref<?x64xf32>) outs(%s : memref<?x64xf32>)
  hip.add(%ctx) ins(%s, %a : memref<?x64xf32>, memref<?x64xf32>) outs(%o : memref<?x64xf32>)
  %c2 = arith.constant 2 : index
  %n2 = arith.muli %n, %c2 : index
  %t = memref.alloc(%n2) : memref<?x64xf16>
  hip.cast(%ctx) ins(%a : memref<?x64xf32>) outs(%t : memref<?x64xf16>)
  hip.cast(%ctx) ins(%t : memref<?x64xf16>) outs(%o : memref<?x64xf32>)
  %u = memref.alloc(%n2) : memref<4x?x32xf32>
  hip.add(%ctx) ins(%o, %a : memref<?x64xf32>, memref<?x64xf32>) outs(%u : memref<4x?x32xf32>)
  hip.add(%ctx) ins(%u, %a : memref<4x?x32xf32>, memref<?x64xf32>) outs(%o : memref<?x64xf32>)
  memref.dealloc %u : memref<4x?x32xf32>
  return
}
