// B16. llama.cpp #2757: memory is reused at its last use, ops run concurrently. Two streams, one event between.
// Goes wrong: the event is recorded in front of the last read of %a, in whose memory %two then writes %b.
// RUN: exits 1 smtalloc verify --no-minimum --profile %profiles/streams.toml %inputs/B16-shared-behind-an-event.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %a and %b share AFTER's %a; dev.map at {{.*}} can overwrite %a before dev.map at {{.*}} reads it: the queue runs late
func.func @f(%one: !dev.stream, %two: !dev.stream, %e: !dev.event, %x: memref<8xf32>, %y: memref<8xf32>, %o: memref<8xf32>, %p: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  "dev.map"(%one, %x, %a) : (!dev.stream, memref<8xf32>, memref<8xf32>) -> ()
  "dev.record"(%one, %e) : (!dev.stream, !dev.event) -> ()
  "dev.map"(%one, %a, %o) : (!dev.stream, memref<8xf32>, memref<8xf32>) -> ()
  "dev.stream_wait"(%two, %e) : (!dev.stream, !dev.event) -> ()
  "dev.map"(%two, %y, %a) : (!dev.stream, memref<8xf32>, memref<8xf32>) -> ()
  "dev.map"(%two, %a, %p) : (!dev.stream, memref<8xf32>, memref<8xf32>) -> ()
  return
}
