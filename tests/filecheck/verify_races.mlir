// RUN: not smtalloc verify %s %S/Inputs/verify_races.after.mlir | filecheck %s

// The text of a race: both engines in time order, what collides, what it leads to.

// CHECK:       @f: UNSAFE (racy)
// CHECK:       racy: %s and %t share AFTER's %s; memref.store at {{.*}}:25:3 can overwrite %s before hip.neg
// CHECK-SAME:  the host runs ahead of the queue
// CHECK:       host{{ +}}stream
// CHECK:       hip.neg  verify_races.mlir:20
// CHECK:       memref.store  verify_races.mlir:25
// CHECK-NEXT:    writes %t = 7
// CHECK-NEXT:    ^ CLOBBERS
// CHECK:       hip.neg  verify_races.mlir:21
// CHECK-NEXT:    reads %s = 7 instead of hip.neg#
// CHECK:       READS WRONG
// CHECK:       without sharing: %out =
// CHECK-NEXT:  this schedule:   %out =
func.func @f(%ctx: !hip.context, %in: memref<1xi64>, %out: memref<1xi64>, %last: memref<1xi64>) {
  %s = memref.alloc() : memref<1xi64>
  hip.neg(%ctx) ins(%in : memref<1xi64>) outs(%s : memref<1xi64>)
  hip.neg(%ctx) ins(%s : memref<1xi64>) outs(%out : memref<1xi64>)
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : i64
  %t = memref.alloc() : memref<1xi64>
  memref.store %c7, %t[%c0] : memref<1xi64>
  hip.neg(%ctx) ins(%t : memref<1xi64>) outs(%last : memref<1xi64>)
  return
}
