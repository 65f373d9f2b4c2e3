// A19. hip-ep #803, #908: a compute body that only returns (a view of) its input; its output may share the buffer.
// Right: the body does not read its destination, so the copy of a buffer onto itself changes nothing (3 buffers -> 2).
// RUN: exits 0 smtalloc verify --no-minimum %inputs/A19-self-copy.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>) {
  %in = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%in : memref<8xf32>)
  memref.copy %in, %in : memref<8xf32> to memref<8xf32>
  hip.neg(%ctx) ins(%in : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
