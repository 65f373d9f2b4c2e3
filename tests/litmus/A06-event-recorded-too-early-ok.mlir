// A06, with the event in the wrong place.
// Right: it is recorded behind the copy.
// RUN: exits 0 smtalloc races --profile %profiles/streams.toml %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%copies: !dev.stream, %main: !dev.stream, %e: !dev.event, %in: memref<8xf32>, %o: memref<8xf32>) {
  %s = memref.alloc() : memref<8xf32>
  "dev.copy"(%copies, %in, %s) : (!dev.stream, memref<8xf32>, memref<8xf32>) -> ()
  "dev.record"(%copies, %e) : (!dev.stream, !dev.event) -> ()
  "dev.stream_wait"(%main, %e) : (!dev.stream, !dev.event) -> ()
  "dev.map"(%main, %s, %o) : (!dev.stream, memref<8xf32>, memref<8xf32>) -> ()
  return
}
