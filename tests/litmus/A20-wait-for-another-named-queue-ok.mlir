// A20. hip-ep #919: a wait for the wrong thing. Streams that an attribute names.
// Right: it waits for the producer's stream.
// RUN: exits 0 smtalloc races --profile %profiles/streams.toml %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%in: memref<8xf32>, %o: memref<8xf32>) {
  %s = memref.alloc() : memref<8xf32>
  "dev.named_map"(%in, %s) {stream = "side"} : (memref<8xf32>, memref<8xf32>) -> ()
  "dev.sync_named"() {stream = "side"} : () -> ()
  "dev.named_map"(%s, %o) {stream = "main"} : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
