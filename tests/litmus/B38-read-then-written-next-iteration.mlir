// B38. iree #17425: a workgroup buffer hoisted out of a loop is written again in the next iteration (two here, unrolled;
// the two queues stand for two subgroups, host.wait_all for the barrier).
// Goes wrong: no barrier stands behind the reads, so the next write may come before them (WAR).
// RUN: exits 1 smtalloc races --profile %profiles/two-queues.toml %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %s: compq.map at {{.*}}:13:3 does not wait for copyq.copy at {{.*}}:11:3, and may run first
func.func @f(%x: memref<8xf32>, %y: memref<8xf32>, %o: memref<8xf32>, %p: memref<8xf32>) {
  %s = memref.alloc() : memref<8xf32>
  "compq.map"(%x, %s) : (memref<8xf32>, memref<8xf32>) -> ()
  "host.wait_all"() : () -> ()
  "copyq.copy"(%s, %o) : (memref<8xf32>, memref<8xf32>) -> ()

  "compq.map"(%y, %s) : (memref<8xf32>, memref<8xf32>) -> ()
  "host.wait_all"() : () -> ()
  "copyq.copy"(%s, %p) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
