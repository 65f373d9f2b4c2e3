// A44, in general form: a buffer is put into memory of another address space.
// Goes wrong: %b lives in space 1 (device), the slot that it is given in space 0.
// RUN: exits 1 smtalloc verify %inputs/A44-other-memory-space.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (space-violation)
// CHECK: space-violation: %b in %a: memory space '', the buffer is in '1 : i64'
func.func @f(%ctx: !hip.context, %x: memref<64xf32>, %o: memref<64xf32>, %p: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  hip.neg(%ctx) ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%o : memref<64xf32>)
  %b = memref.memory_space_cast %a : memref<64xf32> to memref<64xf32, 1>
  hip.neg(%ctx) ins(%x : memref<64xf32>) outs(%b : memref<64xf32, 1>)
  hip.neg(%ctx) ins(%b : memref<64xf32, 1>) outs(%p : memref<64xf32>)
  return
}
