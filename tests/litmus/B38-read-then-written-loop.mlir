// B38. iree #17425: a workgroup buffer hoisted out of a loop is written again in the next iteration (the two queues
// stand for two subgroups, host.wait_all for the barrier).
// Goes wrong: no barrier stands behind the reads, so the next iteration's write may come before them (WAR, back edge).
// RUN: exits 1 smtalloc races --profile %profiles/two-queues.toml %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %s: compq.map at {{.*}}:13:5 does not wait for copyq.copy at {{.*}}:15:5, and may run first
func.func @f(%x: memref<8xf32>, %o: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %s = memref.alloc() : memref<8xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    "compq.map"(%x, %s) : (memref<8xf32>, memref<8xf32>) -> ()
    "host.wait_all"() : () -> ()
    "copyq.copy"(%s, %o) : (memref<8xf32>, memref<8xf32>) -> ()
  }
  return
}
