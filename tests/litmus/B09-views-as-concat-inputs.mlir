// B09. pytorch #100314, #100332: the inputs of a cat are views of one buffer.
// Goes wrong: the buffer is given to %t after the last use of the first view; the second is still to be read.
// RUN: exits 1 smtalloc verify %inputs/B09-views-as-concat-inputs.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (lifetime-overlap)
// CHECK: lifetime-overlap: %base and %t share AFTER's %base; hip.exp at {{.*}} can overwrite %base before hip.concat at {{.*}} reads it: their lives overlap
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %y: memref<4xf32>, %o: memref<8xf32>, %p: memref<8xf32>) {
  %base = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%base : memref<8xf32>)
  %first = memref.subview %base[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  %second = memref.subview %base[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  hip.concat(%ctx) ins(%first, %y : memref<4xf32, strided<[1]>>, memref<4xf32>) outs(%o : memref<8xf32>)
  hip.exp(%ctx) ins(%x : memref<8xf32>) outs(%base : memref<8xf32>)
  hip.concat(%ctx) ins(%second, %y : memref<4xf32, strided<[1], offset: 4>>, memref<4xf32>) outs(%p : memref<8xf32>)
  hip.neg(%ctx) ins(%base : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
