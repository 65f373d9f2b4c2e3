// A39. OptimizeMemRefs.cpp: a 10-byte slot dies, then comes a buffer of 20 bytes.
// Right: the slot is as large as its largest member.
// RUN: exits 0 smtalloc verify %inputs/A39-slot-cannot-grow.before.mlir %s | filecheck %s
// CHECK: @f: SAFE for every schedule; 30 bytes before, 20 after{{$}}
func.func @f(%ctx: !hip.context, %x: memref<10xi8>, %y: memref<20xi8>, %o: memref<10xi8>, %p: memref<20xi8>) {
  %b = memref.alloc() : memref<20xi8>
  %a = memref.reinterpret_cast %b to offset: [0], sizes: [10], strides: [1] : memref<20xi8> to memref<10xi8>
  hip.neg(%ctx) ins(%x : memref<10xi8>) outs(%a : memref<10xi8>)
  hip.neg(%ctx) ins(%a : memref<10xi8>) outs(%o : memref<10xi8>)
  hip.neg(%ctx) ins(%y : memref<20xi8>) outs(%b : memref<20xi8>)
  hip.neg(%ctx) ins(%b : memref<20xi8>) outs(%p : memref<20xi8>)
  return
}
