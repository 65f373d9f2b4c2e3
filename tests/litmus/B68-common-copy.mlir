// B68. onnx-mlir #346, #505: sound side conditions of sharing: no common copy, disjoint chains of loads and stores.
// Goes wrong: %b is a copy of %a, is changed, and %a is read afterwards.
// RUN: exits 1 smtalloc verify --profile %profiles/two-queues.toml %inputs/B68-common-copy.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (lifetime-overlap)
// CHECK: lifetime-overlap: %a and %b share AFTER's %a; compq.{{map|update}} at {{.*}} can overwrite %a before compq.zip at {{.*}} reads it: their lives overlap
func.func @f(%x: memref<8xf32>, %o: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  "compq.map"(%x, %a) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%a, %a) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.update"(%a) : (memref<8xf32>) -> ()
  "compq.zip"(%x, %a, %o) : (memref<8xf32>, memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%a, %o) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
