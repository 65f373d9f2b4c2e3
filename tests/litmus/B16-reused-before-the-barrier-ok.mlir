// B16. llama.cpp #2757: ops between two barriers run concurrently; a buffer is freed at its last use.
// Right: it is freed at the barrier behind its last use.
// RUN: exits 0 smtalloc verify --no-minimum --profile %profiles/two-queues.toml %inputs/B16-reused-before-the-barrier-ok.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
// CHECK: shared: %a before %b: compq.map at {{.*}}, then copyq.fill at {{.*}} ({{.*}} waits for {{.*}})
func.func @f(%x: memref<8xf32>, %o: memref<8xf32>, %p: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  "compq.map"(%x, %a) : (memref<8xf32>, memref<8xf32>) -> ()
  "host.wait_all"() : () -> ()
  "compq.map"(%a, %o) : (memref<8xf32>, memref<8xf32>) -> ()
  "host.wait_all"() : () -> ()
  "copyq.fill"(%a) : (memref<8xf32>) -> ()
  "host.wait_all"() : () -> ()
  "compq.map"(%a, %p) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
