// A20. hip-ep #919: after the barrier the next domain takes the destination buffer for the produced value.
// Goes wrong: it reads %d, which nobody has written.
// RUN: exits 1 smtalloc verify %inputs/A20-read-of-a-buffer-nobody-wrote.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (read-before-write)
// CHECK: %v: hip.next at {{.*}} reads it in another place than hip.neg at {{.*}} wrote it to
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>) {
  %v = memref.alloc() : memref<8xf32>
  %d = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%v : memref<8xf32>)
  hip.next(%ctx) ins(%d : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
