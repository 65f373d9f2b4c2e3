// B26. ROCm/xla #839, with memory that the function returns.
// Goes wrong: two queues write what is returned, in no order.
// RUN: exits 1 smtalloc races --profile %profiles/two-queues.toml %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %out: copyq.copy at {{.*}} does not wait for compq.map at {{.*}}, and may run first
func.func @f(%x: memref<8xf32>, %y: memref<8xf32>) -> memref<8xf32> {
  %out = memref.alloc() : memref<8xf32>
  "compq.map"(%x, %out) : (memref<8xf32>, memref<8xf32>) -> ()
  "copyq.copy"(%y, %out) : (memref<8xf32>, memref<8xf32>) -> ()
  return %out : memref<8xf32>
}
