// B04. onnxruntime #7645 (#7633): x has two consumers, one of them works in place; the executor is parallel.
// Goes wrong: nothing orders the other consumer's read before the update, in either direction.
// RUN: exits 1 smtalloc races --profile %profiles/two-queues.toml %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %x: compq.update at {{.*}} does not wait for copyq.copy at {{.*}}, and may run first
func.func @f(%in: memref<8xf32>, %q: memref<8xf32>, %p: memref<8xf32>) {
  %x = memref.alloc() : memref<8xf32>
  "compq.map"(%in, %x) : (memref<8xf32>, memref<8xf32>) -> ()
  "host.wait_compq"() : () -> ()
  "copyq.copy"(%x, %q) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.update"(%x) : (memref<8xf32>) -> ()
  "compq.map"(%x, %p) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
