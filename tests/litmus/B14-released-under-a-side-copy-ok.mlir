// B14. meta-pytorch/torchrec #4231: the host releases %a while a side stream copies it, the default stream allocates.
// Right: the release is deferred until the copy is over.
// RUN: exits 0 smtalloc verify --no-minimum --profile %profiles/two-queues.toml %inputs/B14-released-under-a-side-copy-ok.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
// CHECK: shared: %a before %b: copyq.copy at {{.*}}, then compq.map at {{.*}} ({{.*}} waits for {{.*}})
func.func @f(%x: memref<8xf32>, %o: memref<8xf32>, %p: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  "compq.map"(%x, %a) : (memref<8xf32>, memref<8xf32>) -> ()
  "host.wait_compq"() : () -> ()
  "copyq.copy"(%a, %o) : (memref<8xf32>, memref<8xf32>) -> ()
  "host.wait_copyq"() : () -> ()
  "compq.map"(%x, %a) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%a, %p) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
