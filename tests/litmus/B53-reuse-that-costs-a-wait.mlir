// B53. pypto #1475, #2277: reuse between two pipelines is legal behind a wait, and serialises them.
// Right (negative test): the wait orders the two lives; without it the same reuse is B08.
// RUN: exits 0 smtalloc verify --no-minimum --profile %profiles/two-queues.toml %inputs/B53-reuse-that-costs-a-wait.before.mlir %s | filecheck %s
// RUN: exits 0 smtalloc plan --profile %profiles/two-queues.toml --policy happens-before %inputs/B53-reuse-that-costs-a-wait.before.mlir | filecheck %s --check-prefix PLAN
// CHECK: @f: SAFE
// CHECK: shared: %a before %b: compq.map at {{.*}}, then copyq.copy at {{.*}} ({{.*}} waits for {{.*}})
// PLAN: OPTIMAL, 32 bytes in 1 slot
func.func @f(%x: memref<8xf32>, %o: memref<8xf32>, %p: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  "compq.map"(%x, %a) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%a, %o) : (memref<8xf32>, memref<8xf32>) -> ()
  "host.wait_compq"() : () -> ()
  "copyq.copy"(%x, %a) : (memref<8xf32>, memref<8xf32>) -> ()
  "copyq.copy"(%a, %p) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
