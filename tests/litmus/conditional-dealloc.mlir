// bufferization.dealloc frees what its conditions say, unless a retained memref names the same memory.
// Goes wrong: %a is freed for certain, and read after that.
// RUN: exits 1 smtalloc races %s | filecheck %s
// CHECK: @f: UNSAFE (use-after-free)
// CHECK: use-after-free: %a is freed at {{.*}}, then hip.neg at {{.*}} uses %a in it
func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>) {
  %true = arith.constant true
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  %r = bufferization.dealloc (%a : memref<8xf32>) if (%true) retain (%b : memref<8xf32>)
  hip.neg(%ctx) ins(%a : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}
