// A19. hip-ep #803, #908: an op's output is put in the buffer of its input.
// Goes wrong: hip.softmax may read an input element after it has written the output element in its place; nothing marks
// it as able to work in place.
// RUN: exits 1 smtalloc verify %inputs/A19-output-shares-input.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (lifetime-overlap)
// CHECK: lifetime-overlap: %in and %out share AFTER's %in; hip.softmax at {{.*}}:5:3 can overwrite %in before hip.softmax at {{.*}}:5:3 reads it: their lives overlap
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>) {
  %in = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%in : memref<8xf32>)
  hip.softmax(%ctx) ins(%in : memref<8xf32>) outs(%in : memref<8xf32>)
  hip.neg(%ctx) ins(%in : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
