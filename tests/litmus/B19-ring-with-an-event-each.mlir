// B19. llama.cpp #20793: the proposed fix, a ring of slots with an event each.
// Goes wrong: the host waits for the event of slot 0 and refills slot 1.
// RUN: exits 1 smtalloc races --profile %profiles/streams.toml %s | filecheck %s
// CHECK: @f: UNSAFE (racy)
// CHECK: racy: %ring: memref.store at {{.*}} does not wait for dev.copy at {{.*}}:18:3, and may run first
func.func @f(%q: !dev.stream, %b0: f32, %b1: f32, %b2: f32, %d: memref<f32>, %e: memref<f32>, %g: memref<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %free0 = "dev.create"() : () -> !dev.event
  %free1 = "dev.create"() : () -> !dev.event
  %ring = memref.alloc() : memref<2xf32>
  %s0 = memref.subview %ring[0] [1] [1] : memref<2xf32> to memref<f32, strided<[]>>
  %s1 = memref.subview %ring[1] [1] [1] : memref<2xf32> to memref<f32, strided<[], offset: 1>>
  memref.store %b0, %ring[%c0] : memref<2xf32>
  "dev.copy"(%q, %s0, %d) : (!dev.stream, memref<f32, strided<[]>>, memref<f32>) -> ()
  "dev.record"(%q, %free0) : (!dev.stream, !dev.event) -> ()
  memref.store %b1, %ring[%c1] : memref<2xf32>
  "dev.copy"(%q, %s1, %e) : (!dev.stream, memref<f32, strided<[], offset: 1>>, memref<f32>) -> ()
  "dev.record"(%q, %free1) : (!dev.stream, !dev.event) -> ()
  "dev.host_wait"(%free0) : (!dev.event) -> ()
  memref.store %b2, %ring[%c1] : memref<2xf32>
  "dev.copy"(%q, %s1, %g) : (!dev.stream, memref<f32, strided<[], offset: 1>>, memref<f32>) -> ()
  return
}
