// A06. hip-ep #370: memref.copy goes to a thread-local stream, its consumer to the session's.
// Goes wrong: no edge leads from the copy on one queue to the kernel on the other.
// RUN: exits 1 smtalloc races --profile %profiles/two-queues.toml %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %s: compq.map at {{.*}} does not wait for copyq.copy at {{.*}}, and may run first
func.func @f(%in: memref<8xf32>, %o: memref<8xf32>) {
  %s = memref.alloc() : memref<8xf32>
  "copyq.copy"(%in, %s) : (memref<8xf32>, memref<8xf32>) -> ()
  "compq.map"(%s, %o) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
