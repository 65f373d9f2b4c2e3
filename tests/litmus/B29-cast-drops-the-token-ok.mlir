// B29. apache/tvm #20220 (#20190, #20207): a binding that only refines the type loses the storage token of its value.
// Right: the life of %s reaches to the last use of the cast, so %t has its own memory.
// RUN: exits 0 smtalloc verify --no-minimum %inputs/B29-cast-drops-the-token.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %p: memref<8xf32>) {
  %s = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%s : memref<8xf32>)
  %d = memref.cast %s : memref<8xf32> to memref<?xf32>
  %r = memref.cast %d : memref<?xf32> to memref<8xf32>
  %t = memref.alloc() : memref<8xf32>
  hip.exp(%ctx) ins(%x : memref<8xf32>) outs(%t : memref<8xf32>)
  hip.gather(%ctx) ins(%r : memref<8xf32>) outs(%o : memref<8xf32>)
  hip.neg(%ctx) ins(%t : memref<8xf32>) outs(%p : memref<8xf32>)
  return
}
