// B54. pypto #1788, #503: last use = definition is allowed for an op that is marked in-place safe, per operand.
// Goes wrong: the output goes over the first operand, which may be read again after part of the output is written.
// RUN: exits 1 smtalloc verify --profile %profiles/two-queues.toml %inputs/B54-in-place-per-operand.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (lifetime-overlap)
// CHECK: lifetime-overlap: %a and %c share AFTER's %a; compq.zip_over at
func.func @f(%x: memref<8xf32>, %y: memref<8xf32>, %o: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  "compq.map"(%x, %a) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%y, %b) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.zip_over"(%a, %b, %a) : (memref<8xf32>, memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%a, %o) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
