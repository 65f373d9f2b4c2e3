// B54. pypto #1788, #503: a buffer whose last use is the op that defines the other may share with it, if that op works
// in place.
// Right: an unmarked op gets two buffers.
// RUN: exits 0 smtalloc verify --no-minimum --profile %profiles/two-queues.toml %inputs/B54-last-use-is-definition.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%x: memref<8xf32>, %o: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  "compq.map"(%x, %a) : (memref<8xf32>, memref<8xf32>) -> ()
  %b = memref.alloc() : memref<8xf32>
  "compq.zip"(%x, %a, %b) : (memref<8xf32>, memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%b, %o) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
