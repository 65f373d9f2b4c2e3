// B04. onnxruntime #7645 (#7633): x has two consumers, one of them works in place; the executor is sequential.
// Right: one queue runs the reader before the update.
// RUN: exits 0 smtalloc races --profile %profiles/two-queues.toml %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%in: memref<8xf32>, %q: memref<8xf32>, %p: memref<8xf32>) {
  %x = memref.alloc() : memref<8xf32>
  "compq.map"(%in, %x) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%x, %q) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.update"(%x) : (memref<8xf32>) -> ()
  "compq.map"(%x, %p) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
