// B09. pytorch #100314, #100332: the inputs of a cat are views of one buffer.
// Right: both views are read before the buffer is given away.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/B09-views-as-concat-inputs-ok.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
// CHECK: shared: %base before %t
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %y: memref<4xf32>, %o: memref<8xf32>, %p: memref<8xf32>) {
  %base = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%base : memref<8xf32>)
  %first = memref.subview %base[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  %second = memref.subview %base[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  hip.concat(%ctx) ins(%first, %y : memref<4xf32, strided<[1]>>, memref<4xf32>) outs(%o : memref<8xf32>)
  hip.concat(%ctx) ins(%second, %y : memref<4xf32, strided<[1], offset: 4>>, memref<4xf32>) outs(%p : memref<8xf32>)
  hip.exp(%ctx) ins(%x : memref<8xf32>) outs(%base : memref<8xf32>)
  hip.neg(%ctx) ins(%base : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
