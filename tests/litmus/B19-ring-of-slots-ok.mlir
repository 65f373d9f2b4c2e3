// B19. llama.cpp #20793: a reusable host input with asynchronous copies, as a ring of two slots.
// Right: a slot is waited for before it is used again; within the ring no wait is needed.
// RUN: exits 0 smtalloc races --profile %profiles/two-queues.toml %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%b0: f32, %b1: f32, %b2: f32, %d: memref<f32>, %e: memref<f32>, %g: memref<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ring = memref.alloc() : memref<2xf32>
  %s0 = memref.subview %ring[0] [1] [1] : memref<2xf32> to memref<f32, strided<[]>>
  %s1 = memref.subview %ring[1] [1] [1] : memref<2xf32> to memref<f32, strided<[], offset: 1>>
  memref.store %b0, %ring[%c0] : memref<2xf32>
  "copyq.copy"(%s0, %d) : (memref<f32, strided<[]>>, memref<f32>) -> ()
  memref.store %b1, %ring[%c1] : memref<2xf32>
  "copyq.copy"(%s1, %e) : (memref<f32, strided<[], offset: 1>>, memref<f32>) -> ()
  "host.wait_copyq"() : () -> ()
  memref.store %b2, %ring[%c0] : memref<2xf32>
  "copyq.copy"(%s0, %g) : (memref<f32, strided<[]>>, memref<f32>) -> ()
  return
}
