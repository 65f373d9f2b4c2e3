// A19. hip-ep #803, #908: a compute body that only returns (a view of) its input; its output may share the buffer.
// Goes wrong: the output lies one element behind the input, so the copy may write over elements that it has yet to read.
// RUN: exits 1 smtalloc verify %inputs/A19-self-copy.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (lifetime-overlap)
// CHECK: lifetime-overlap: %in and %out share AFTER's %both; memref.copy at {{.*}} can overwrite %in before memref.copy
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %both = memref.alloc() {alignment = 64 : i64} : memref<36xi8>
  %in = memref.view %both[%c0][] : memref<36xi8> to memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%in : memref<8xf32>)
  %out = memref.view %both[%c4][] : memref<36xi8> to memref<8xf32>
  memref.copy %in, %out : memref<8xf32> to memref<8xf32>
  hip.neg(%ctx) ins(%out : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
