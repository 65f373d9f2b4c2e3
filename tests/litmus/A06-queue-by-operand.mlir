// A06. hip-ep #370: producer and consumer on different streams, which operands name.
// Goes wrong: nothing orders the streams.
// RUN: exits 1 smtalloc races --profile %profiles/streams.toml %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %s: dev.map at {{.*}}:10:3 does not wait for dev.map at {{.*}}:9:3, and may run first
func.func @f(%one: !dev.stream, %two: !dev.stream, %in: memref<8xf32>, %o: memref<8xf32>) {
  %same = builtin.unrealized_conversion_cast %one : !dev.stream to !dev.stream
  %s = memref.alloc() : memref<8xf32>
  "dev.map"(%one, %in, %s) : (!dev.stream, memref<8xf32>, memref<8xf32>) -> ()
  "dev.map"(%two, %s, %o) : (!dev.stream, memref<8xf32>, memref<8xf32>) -> ()
  return
}
