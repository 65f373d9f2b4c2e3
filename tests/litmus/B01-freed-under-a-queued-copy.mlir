// B01. microsoft/onnxruntime #4829, #5769: the host frees a buffer that a queued copy still uses, and allocates again.
// Goes wrong: the kernel on the other queue writes %b into the bytes of %a before the copy has read them.
// RUN: exits 1 smtalloc verify --profile %profiles/two-queues.toml %inputs/B01-freed-under-a-queued-copy.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %a and %b share AFTER's %a; compq.map at {{.*}} can overwrite %a before copyq.copy at {{.*}}:4:3 reads it
func.func @f(%x: memref<8xf32>, %o: memref<8xf32>, %p: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  "copyq.copy"(%x, %a) : (memref<8xf32>, memref<8xf32>) -> ()
  "copyq.copy"(%a, %o) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%x, %a) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%a, %p) : (memref<8xf32>, memref<8xf32>) -> ()
  memref.dealloc %a : memref<8xf32>
  return
}
