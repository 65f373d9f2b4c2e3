// A20. hip-ep #919: the next domain reads a buffer nobody wrote.
// Goes wrong: hip.next reads %d, allocated and never written.
// RUN: exits 1 smtalloc races %s | filecheck %s
// CHECK: @f: UNSAFE (read-before-write)
// CHECK: %d
// CHECK-SAME: hip.next
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>) {
  %v = memref.alloc() : memref<8xf32>
  %d = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%v : memref<8xf32>)
  hip.next(%ctx) ins(%d : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
