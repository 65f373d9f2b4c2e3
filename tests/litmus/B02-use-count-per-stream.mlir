// B02. onnxruntime #19480, #19515: use counts are reset per stream, the reuse index is kept.
// Goes wrong: %a is handed out after its last use on compq, while the other queue has a use to come.
// RUN: exits 1 smtalloc verify --profile %profiles/two-queues.toml %inputs/B02-use-count-per-stream.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (lifetime-overlap)
// CHECK: lifetime-overlap: %a and %b share AFTER's %a; compq.map at {{.*}}:6:3 can overwrite %a before copyq.copy at {{.*}}:9:3 reads it: their lives overlap
func.func @f(%x: memref<8xf32>, %o: memref<8xf32>, %p: memref<8xf32>, %q: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  "compq.map"(%x, %a) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%a, %o) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%x, %a) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%a, %q) : (memref<8xf32>, memref<8xf32>) -> ()
  "host.wait_compq"() : () -> ()
  "copyq.copy"(%a, %p) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
