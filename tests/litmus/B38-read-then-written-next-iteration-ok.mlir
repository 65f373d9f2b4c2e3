// B38. iree #17425: a workgroup buffer hoisted out of a loop is written again in the next iteration (two here, unrolled;
// the two queues stand for two subgroups, host.wait_all for the barrier).
// Right: a second barrier behind the reads.
// RUN: exits 0 smtalloc races --profile %profiles/two-queues.toml %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%x: memref<8xf32>, %y: memref<8xf32>, %o: memref<8xf32>, %p: memref<8xf32>) {
  %s = memref.alloc() : memref<8xf32>
  "compq.map"(%x, %s) : (memref<8xf32>, memref<8xf32>) -> ()
  "host.wait_all"() : () -> ()
  "copyq.copy"(%s, %o) : (memref<8xf32>, memref<8xf32>) -> ()
  "host.wait_all"() : () -> ()
  "compq.map"(%y, %s) : (memref<8xf32>, memref<8xf32>) -> ()
  "host.wait_all"() : () -> ()
  "copyq.copy"(%s, %p) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
