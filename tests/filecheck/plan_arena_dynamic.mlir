// RUN: smtalloc plan %s --model arena --emit mlir | filecheck %s
// RUN: smtalloc plan %s --model arena --emit mlir | smtalloc verify %s -
// RUN: smtalloc plan %s --model arena --get-pool --emit mlir | filecheck %s --check-prefix POOL
// RUN: smtalloc plan %s --model arena --get-pool --emit mlir | smtalloc verify %s -
// RUN: smtalloc plan %s --model arena | filecheck %s --check-prefix TEXT

// One pool: 80 bytes of known size, then two slots of run-time size (%t and %u share one). %v waits for a number that
// is read behind the first use of the pool.

// CHECK:       %c12 = arith.constant 12 : index
// CHECK-NEXT:  arith.muli %{{.*}}, %c12 : index
// CHECK:       arith.floordivsi
// CHECK:       %[[AT:.*]] = arith.addi %{{.*}}, %c128 : index
// CHECK:       %[[SIZE:.*]] = arith.addi %[[AT]], %{{.*}} : index
// CHECK-NEXT:  %pool = memref.alloc(%[[SIZE]]) {alignment = 64 : i64} : memref<?xi8>
// CHECK-NEXT:  %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT:  %[[C128:.*]] = arith.constant 128 : index
// CHECK-NEXT:  memref.view %pool[%[[C128]]][%n] : memref<?xi8> to memref<?x3xf32>
// CHECK:       memref.view %pool[%[[C0]]][] : memref<?xi8> to memref<20xf32>
// CHECK:       memref.view %pool[%[[AT]]][%n] : memref<?xi8> to memref<?x64xf32>
// CHECK:       memref.view %pool[%[[AT]]][%n] : memref<?xi8> to memref<64x?xf32>
// CHECK:       %v = memref.alloc(%late) : memref<?xf32>
// CHECK:       memref.dealloc %pool : memref<?xi8>
// CHECK-NOT:   memref.dealloc

// POOL:        %pool = hip.get_pool(%ctx, %{{.*}}) {domain_id = 0 : i64} : memref<?xi8>
// POOL-NOT:    memref.dealloc

// TEXT:        @f: OPTIMAL, 80 bytes of known size in 1 pool
// TEXT:        pool, aligned to 64, has
// TEXT-NEXT:   slot0 {{.*}}at 128
// TEXT-NEXT:   slot1 {{.*}}at 64*((12*%a[0] + 63) floordiv 64) + 128
// TEXT:        allocated apart: slot2: the size is known only behind the first use of the pool
// TEXT:        run-time sizes: 3 slots, the fewest there can be; their bytes are not proven minimal
func.func @f(%ctx: !hip.context, %a: memref<?x3xf32>, %b: memref<20xf32>, %o: memref<?x64xf32>, %p: memref<64x?xf32>,
             %cell: memref<1xindex>, %q: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?x3xf32>
  %s = memref.alloc(%n) {alignment = 64 : i64} : memref<?x3xf32>
  %k = memref.alloc() : memref<20xf32>
  hip.neg(%ctx) ins(%a : memref<?x3xf32>) outs(%s : memref<?x3xf32>)
  hip.neg(%ctx) ins(%b : memref<20xf32>) outs(%k : memref<20xf32>)
  %t = memref.alloc(%n) : memref<?x64xf32>
  hip.add(%ctx) ins(%s, %k : memref<?x3xf32>, memref<20xf32>) outs(%t : memref<?x64xf32>)
  hip.add(%ctx) ins(%t, %s : memref<?x64xf32>, memref<?x3xf32>) outs(%o : memref<?x64xf32>)
  %u = memref.alloc(%n) : memref<64x?xf32>
  hip.add(%ctx) ins(%s, %k : memref<?x3xf32>, memref<20xf32>) outs(%u : memref<64x?xf32>)
  hip.add(%ctx) ins(%u, %s : memref<64x?xf32>, memref<?x3xf32>) outs(%p : memref<64x?xf32>)
  %late = memref.load %cell[%c0] : memref<1xindex>
  %v = memref.alloc(%late) : memref<?xf32>
  hip.add(%ctx) ins(%b, %s : memref<20xf32>, memref<?x3xf32>) outs(%v : memref<?xf32>)
  hip.add(%ctx) ins(%v, %k : memref<?xf32>, memref<20xf32>) outs(%q : memref<?xf32>)
  memref.dealloc %s : memref<?x3xf32>
  memref.dealloc %u : memref<64x?xf32>
  return
}
