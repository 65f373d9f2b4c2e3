// B14. meta-pytorch/torchrec #4231: the host releases %a while a side stream copies it, the default stream allocates.
// Goes wrong: the default stream writes %b into the bytes that the copy has yet to read.
// RUN: exits 1 smtalloc verify --profile %profiles/two-queues.toml %inputs/B14-released-under-a-side-copy.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %a and %b share AFTER's %a; compq.map at {{.*}}:7:3 can overwrite %a before copyq.copy at {{.*}}:5:3 reads it
func.func @f(%x: memref<8xf32>, %o: memref<8xf32>, %p: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  "compq.map"(%x, %a) : (memref<8xf32>, memref<8xf32>) -> ()
  "host.wait_compq"() : () -> ()
  "copyq.copy"(%a, %o) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%x, %a) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%a, %p) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
