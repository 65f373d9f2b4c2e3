func.func @f(%ctx: !hip.context, %x: memref<10xi8>, %y: memref<20xi8>, %o: memref<10xi8>, %p: memref<20xi8>) {
  %a = memref.alloc() : memref<10xi8>
  hip.neg(%ctx) ins(%x : memref<10xi8>) outs(%a : memref<10xi8>)
  hip.neg(%ctx) ins(%a : memref<10xi8>) outs(%o : memref<10xi8>)
  %b = memref.alloc() : memref<20xi8>
  hip.neg(%ctx) ins(%y : memref<20xi8>) outs(%b : memref<20xi8>)
  hip.neg(%ctx) ins(%b : memref<20xi8>) outs(%p : memref<20xi8>)
  return
}
