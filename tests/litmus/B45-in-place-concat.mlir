// B45. openvino #37165 (#37103): the parts of a concat are written straight into its buffer; the pass that decides
// lives ignores that.
// Goes wrong: %cat seems to begin at the concat, so the earlier temporary %t is put over the part that is there already.
// RUN: exits 1 smtalloc verify %inputs/B45-in-place-concat.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (lifetime-overlap)
// CHECK: lifetime-overlap: %cat and %t share AFTER's %cat; hip.exp at {{.*}}:7:3 can overwrite %cat before hip.neg at {{.*}}:9:3 reads it: their lives overlap
func.func @f(%ctx: !hip.context, %x: memref<4xf32>, %o: memref<8xf32>) {
  %cat = memref.alloc() : memref<8xf32>
  %t = memref.reinterpret_cast %cat to offset: [0], sizes: [4], strides: [1] : memref<8xf32> to memref<4xf32>
  %part0 = memref.subview %cat[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  %part1 = memref.subview %cat[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  hip.neg(%ctx) ins(%x : memref<4xf32>) outs(%part0 : memref<4xf32, strided<[1]>>)
  hip.exp(%ctx) ins(%x : memref<4xf32>) outs(%t : memref<4xf32>)
  hip.neg(%ctx) ins(%t : memref<4xf32>) outs(%part1 : memref<4xf32, strided<[1], offset: 4>>)
  hip.neg(%ctx) ins(%cat : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
