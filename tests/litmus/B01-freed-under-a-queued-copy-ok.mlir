// B01. microsoft/onnxruntime #4829, #5769: the host frees a buffer that a queued copy still uses, and allocates again.
// Right: the same program on one queue, which runs the copies before the kernels.
// RUN: exits 0 smtalloc verify --no-minimum --profile %profiles/two-queues.toml %inputs/B01-freed-under-a-queued-copy-ok.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
// CHECK: shared: %a before %b: compq.map at {{.*}}, then compq.map at {{.*}} (both on compq)
func.func @f(%x: memref<8xf32>, %o: memref<8xf32>, %p: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  "compq.map"(%x, %a) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%a, %o) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%x, %a) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%a, %p) : (memref<8xf32>, memref<8xf32>) -> ()
  memref.dealloc %a : memref<8xf32>
  return
}
