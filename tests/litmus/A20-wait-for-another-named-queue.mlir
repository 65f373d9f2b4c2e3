// A20. hip-ep #919: a wait for the wrong thing. Streams that an attribute names.
// Goes wrong: the host waits for "main", the producer is on "side".
// RUN: exits 1 smtalloc races --profile %profiles/streams.toml %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %s: dev.named_map at {{.*}}:10:3 does not wait for dev.named_map at {{.*}}:8:3, and may run first
func.func @f(%in: memref<8xf32>, %o: memref<8xf32>) {
  %s = memref.alloc() : memref<8xf32>
  "dev.named_map"(%in, %s) {stream = "side"} : (memref<8xf32>, memref<8xf32>) -> ()
  "dev.sync_named"() {stream = "main"} : () -> ()
  "dev.named_map"(%s, %o) {stream = "main"} : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
