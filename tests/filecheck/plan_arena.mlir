// RUN: smtalloc plan %s --model arena --emit mlir | filecheck %s
// RUN: smtalloc plan %s --model arena --emit mlir | smtalloc verify %s -
// RUN: smtalloc plan %s --model arena --get-pool --emit mlir | filecheck %s --check-prefix POOL
// RUN: smtalloc plan %s --model arena --get-pool --emit mlir | smtalloc verify %s -

// Two live at once, the third in the bytes of both: one pool, views at constant offsets, one deallocation.

// CHECK:       %pool = memref.alloc() {alignment = 8 : i64} : memref<384xi8>
// CHECK-NEXT:  %c0 = arith.constant 0 : index
// CHECK-NEXT:  %c{{[0-9]+}} = arith.constant {{128|256}} : index
// CHECK:       memref.view %pool[%c{{.*}}][] : memref<384xi8> to memref<64xf32>
// CHECK:       memref.view %pool[%c{{.*}}][] : memref<384xi8> to memref<16xi64>
// CHECK-NOT:   memref.dealloc
// CHECK:       memref.view %pool[%c0][] : memref<384xi8> to memref<96xf32>
// CHECK:       hip.neg(%ctx) ins(%u_0 : memref<96xf32>)
// CHECK-NEXT:  memref.dealloc %pool : memref<384xi8>

// POOL:        %pool = hip.get_pool(%ctx, %c384) {domain_id = 0 : i64} : memref<?xi8>
// POOL:        memref.view %pool[%c{{.*}}][] : memref<?xi8> to memref<64xf32>
// POOL-NOT:    memref.dealloc
func.func @f(%ctx: !hip.context, %a: memref<64xf32>, %b: memref<16xi64>, %c: memref<96xf32>) {
  %s = memref.alloc() : memref<64xf32>
  %t = memref.alloc() : memref<16xi64>
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%s : memref<64xf32>)
  hip.cast(%ctx) ins(%s : memref<64xf32>) outs(%t : memref<16xi64>)
  hip.add(%ctx) ins(%s, %t : memref<64xf32>, memref<16xi64>) outs(%b : memref<16xi64>)
  memref.dealloc %s : memref<64xf32>
  %u = memref.alloc() : memref<96xf32>
  hip.neg(%ctx) ins(%b : memref<16xi64>) outs(%u : memref<96xf32>)
  hip.neg(%ctx) ins(%u : memref<96xf32>) outs(%c : memref<96xf32>)
  memref.dealloc %u : memref<96xf32>
  return
}
