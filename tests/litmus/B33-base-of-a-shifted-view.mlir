// B33. executorch #21840: a tensor is a base storage and an offset; the life of the base is not extended to its uses.
// Goes wrong: %t is put over the second half of %base, where the tensor %v is still to be read.
// RUN: exits 1 smtalloc verify %inputs/B33-base-of-a-shifted-view.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (lifetime-overlap)
// CHECK: lifetime-overlap: %base and %t share AFTER's %base; hip.exp at {{.*}} can overwrite %base before hip.neg at {{.*}}:8:3 reads it: their lives overlap
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %p: memref<8xf32>) {
  %c32 = arith.constant 32 : index
  %base = memref.alloc() {alignment = 64 : i64} : memref<64xi8>
  %v = memref.view %base[%c32][] : memref<64xi8> to memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%v : memref<8xf32>)
  %t = memref.view %base[%c32][] : memref<64xi8> to memref<8xf32>
  hip.exp(%ctx) ins(%x : memref<8xf32>) outs(%t : memref<8xf32>)
  hip.neg(%ctx) ins(%v : memref<8xf32>) outs(%o : memref<8xf32>)
  hip.neg(%ctx) ins(%t : memref<8xf32>) outs(%p : memref<8xf32>)
  return
}
