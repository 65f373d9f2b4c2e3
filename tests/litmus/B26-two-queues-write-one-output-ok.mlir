// B26. ROCm/xla #839: a chain of graph nodes and a collective on another stream write one live-out buffer.
// Right: the second waits for the first.
// RUN: exits 0 smtalloc races --profile %profiles/two-queues.toml %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%x: memref<8xf32>, %y: memref<8xf32>, %out: memref<8xf32>) {
  "compq.map"(%x, %out) : (memref<8xf32>, memref<8xf32>) -> ()
  "host.wait_compq"() : () -> ()
  "copyq.copy"(%y, %out) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
