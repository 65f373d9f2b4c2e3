func.func @f(%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>)  {
  "hip.region"(%ctx, %o) ({
    %p = memref.alloc() : memref<8xf32>
    hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%p : memref<8xf32>)
    hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%p : memref<8xf32>)
    hip.add(%ctx) ins(%p, %p : memref<8xf32>, memref<8xf32>) outs(%o : memref<8xf32>)
    "hip.yield"() : () -> ()
  }) : (!hip.context, memref<8xf32>) -> ()
  return
}
