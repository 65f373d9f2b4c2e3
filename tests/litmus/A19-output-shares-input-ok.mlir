// A19. hip-ep #803, #908: an op's output is put in the buffer of its input.
// Right: output and input of the unmarked op have a buffer each.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/A19-output-shares-input.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>) {
  %in = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%in : memref<8xf32>)
  %out = memref.alloc() : memref<8xf32>
  hip.softmax(%ctx) ins(%in : memref<8xf32>) outs(%out : memref<8xf32>)
  hip.neg(%ctx) ins(%out : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
