// B68. onnx-mlir #346, #505: sound side conditions of sharing: no common copy, disjoint chains of loads and stores.
// Right: the chain of %b does not start at %a, and starts when the chain of %a is over.
// RUN: exits 0 smtalloc verify --no-minimum --profile %profiles/two-queues.toml %inputs/B68-common-copy-ok.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
// CHECK: shared: %a before %b
func.func @f(%x: memref<8xf32>, %o: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  "compq.map"(%x, %a) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.zip"(%x, %a, %o) : (memref<8xf32>, memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%x, %a) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.update"(%a) : (memref<8xf32>) -> ()
  "compq.map"(%a, %o) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
