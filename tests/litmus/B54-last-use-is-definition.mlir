// B54. pypto #1788, #503: a buffer whose last use is the op that defines the other may share with it, if that op works
// in place.
// Goes wrong: nothing says that compq.zip reads its second operand before it writes its output.
// RUN: exits 1 smtalloc verify --profile %profiles/two-queues.toml %inputs/B54-last-use-is-definition.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (lifetime-overlap)
// CHECK: lifetime-overlap: %a and %b share AFTER's %a; compq.zip at {{.*}}:5:3 can overwrite %a before compq.zip at {{.*}}:5:3 reads it: their lives overlap
func.func @f(%x: memref<8xf32>, %o: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  "compq.map"(%x, %a) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.zip"(%x, %a, %a) : (memref<8xf32>, memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%a, %o) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
