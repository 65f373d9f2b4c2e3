// A06. hip-ep #370: memref.copy goes to a thread-local stream, its consumer to the session's. With an event.
// Goes wrong: the event is recorded behind the copy, but nobody waits for it.
// RUN: exits 1 smtalloc races --profile %profiles/streams.toml %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %s: dev.map at {{.*}} does not wait for dev.copy at {{.*}}, and may run first
func.func @f(%copies: !dev.stream, %main: !dev.stream, %e: !dev.event, %in: memref<8xf32>, %o: memref<8xf32>) {
  %s = memref.alloc() : memref<8xf32>
  "dev.copy"(%copies, %in, %s) : (!dev.stream, memref<8xf32>, memref<8xf32>) -> ()
  "dev.record"(%copies, %e) : (!dev.stream, !dev.event) -> ()
  "dev.map"(%main, %s, %o) : (!dev.stream, memref<8xf32>, memref<8xf32>) -> ()
  return
}
