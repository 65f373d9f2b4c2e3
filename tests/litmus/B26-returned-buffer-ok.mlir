// B26. ROCm/xla #839, with memory that the function returns.
// Right: both writes are on one queue.
// RUN: exits 0 smtalloc races --profile %profiles/two-queues.toml %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%x: memref<8xf32>, %y: memref<8xf32>) -> memref<8xf32> {
  %out = memref.alloc() : memref<8xf32>
  "compq.map"(%x, %out) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%y, %out) : (memref<8xf32>, memref<8xf32>) -> ()
  return %out : memref<8xf32>
}
