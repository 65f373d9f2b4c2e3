// A06. hip-ep #370: producer and consumer on different streams, which operands name.
// Right: the consumer is on the producer's stream, through a cast of it.
// RUN: exits 0 smtalloc races --profile %profiles/streams.toml %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%one: !dev.stream, %two: !dev.stream, %in: memref<8xf32>, %o: memref<8xf32>) {
  %same = builtin.unrealized_conversion_cast %one : !dev.stream to !dev.stream
  %s = memref.alloc() : memref<8xf32>
  "dev.map"(%one, %in, %s) : (!dev.stream, memref<8xf32>, memref<8xf32>) -> ()
  "dev.map"(%same, %s, %o) : (!dev.stream, memref<8xf32>, memref<8xf32>) -> ()
  return
}
