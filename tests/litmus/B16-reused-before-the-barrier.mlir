// B16. llama.cpp #2757: ops between two barriers run concurrently; a buffer is freed at its last use.
// Goes wrong: %b takes the bytes of %a in the same stretch between barriers, so its writer may come before %a's reader.
// RUN: exits 1 smtalloc verify --profile %profiles/two-queues.toml %inputs/B16-reused-before-the-barrier.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %a and %b share AFTER's %a; copyq.fill at {{.*}} can overwrite %a before compq.map at {{.*}}:5:3 reads it
func.func @f(%x: memref<8xf32>, %o: memref<8xf32>, %p: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  "compq.map"(%x, %a) : (memref<8xf32>, memref<8xf32>) -> ()
  "host.wait_all"() : () -> ()
  "compq.map"(%a, %o) : (memref<8xf32>, memref<8xf32>) -> ()
  "copyq.fill"(%a) : (memref<8xf32>) -> ()
  "host.wait_all"() : () -> ()
  "compq.map"(%a, %p) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
