// RUN: smtalloc plan %s --emit mlir | filecheck %s
// RUN: smtalloc plan %s --types strict --emit mlir | filecheck %s --check-prefix STRICT
// RUN: smtalloc plan %s --emit mlir | smtalloc verify %s -

// Two element types share as bytes; under the pass's own type rule they do not. Returned memory is never freed.

// CHECK:       %slot = memref.alloc() {alignment = 8 : i64} : memref<256xi8>
// CHECK-NEXT:  %c0 = arith.constant 0 : index
// CHECK-NEXT:  %s_0 = memref.view %slot[%c0][] : memref<256xi8> to memref<64xf32>
// CHECK:       %t_0 = memref.view %slot[%c0][] : memref<256xi8> to memref<16xi64>
// CHECK-NEXT:  hip.cast(%ctx) ins(%a : memref<64xf32>) outs(%t_0 : memref<16xi64>)
// CHECK-NOT:   memref.dealloc
// CHECK:       return %t_0 : memref<16xi64>

// STRICT:      memref.alloc() : memref<64xf32>
// STRICT:      memref.alloc() : memref<16xi64>
func.func @f(%ctx: !hip.context, %a: memref<64xf32>) -> memref<16xi64> {
  %s = memref.alloc() : memref<64xf32>
  hip.add(%ctx) ins(%a, %a : memref<64xf32>, memref<64xf32>) outs(%s : memref<64xf32>)
  hip.add(%ctx) ins(%s, %a : memref<64xf32>, memref<64xf32>) outs(%a : memref<64xf32>)
  memref.dealloc %s : memref<64xf32>
  %t = memref.alloc() : memref<16xi64>
  hip.cast(%ctx) ins(%a : memref<64xf32>) outs(%t : memref<16xi64>)
  return %t : memref<16xi64>
}
