// A39. OptimizeMemRefs.cpp: a 10-byte slot dies, then comes a buffer of 20 bytes.
// Goes wrong: the slot keeps the size of its first member, so both stay apart: 30 bytes where 20 are enough.
// RUN: exits 0 smtalloc verify %inputs/A39-slot-cannot-grow.before.mlir %s | filecheck %s
// CHECK: @f: SAFE for every schedule; 30 bytes before, 30 after; suboptimal: 20 are enough
func.func @f(%ctx: !hip.context, %x: memref<10xi8>, %y: memref<20xi8>, %o: memref<10xi8>, %p: memref<20xi8>) {
  %a = memref.alloc() : memref<10xi8>
  hip.neg(%ctx) ins(%x : memref<10xi8>) outs(%a : memref<10xi8>)
  hip.neg(%ctx) ins(%a : memref<10xi8>) outs(%o : memref<10xi8>)
  %b = memref.alloc() : memref<20xi8>
  hip.neg(%ctx) ins(%y : memref<20xi8>) outs(%b : memref<20xi8>)
  hip.neg(%ctx) ins(%b : memref<20xi8>) outs(%p : memref<20xi8>)
  return
}
