// A06, with the event in the wrong place.
// Goes wrong: the event is recorded in front of the copy, so waiting for it says nothing of the copy.
// RUN: exits 1 smtalloc races --profile %profiles/streams.toml %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %s: dev.map at {{.*}} does not wait for dev.copy at {{.*}}, and may run first
func.func @f(%copies: !dev.stream, %main: !dev.stream, %e: !dev.event, %in: memref<8xf32>, %o: memref<8xf32>) {
  %s = memref.alloc() : memref<8xf32>
  "dev.record"(%copies, %e) : (!dev.stream, !dev.event) -> ()
  "dev.copy"(%copies, %in, %s) : (!dev.stream, memref<8xf32>, memref<8xf32>) -> ()
  "dev.stream_wait"(%main, %e) : (!dev.stream, !dev.event) -> ()
  "dev.map"(%main, %s, %o) : (!dev.stream, memref<8xf32>, memref<8xf32>) -> ()
  return
}
