// B54. pypto #1788, #503: last use = definition is allowed for an op that is marked in-place safe, per operand.
// Right: the output goes over the second operand, which the profile marks.
// RUN: exits 0 smtalloc verify --no-minimum --profile %profiles/two-queues.toml %inputs/B54-in-place-per-operand.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%x: memref<8xf32>, %y: memref<8xf32>, %o: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  "compq.map"(%x, %a) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%y, %b) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.zip_over"(%a, %b, %b) : (memref<8xf32>, memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%b, %o) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
