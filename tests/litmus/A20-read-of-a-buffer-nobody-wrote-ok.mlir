// A20. hip-ep #919: after the barrier the next domain takes the destination buffer for the produced value.
// Right: the value is produced in the destination buffer.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/A20-read-of-a-buffer-nobody-wrote.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>) {
  %v = memref.alloc() : memref<8xf32>
  %d = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%d : memref<8xf32>)
  hip.next(%ctx) ins(%d : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
