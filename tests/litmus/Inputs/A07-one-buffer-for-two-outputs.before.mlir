func.func @f(%ctx: !hip.context, %q: memref<64xf32>, %o: memref<64xf32>, %pk: memref<64xf32>, %pv: memref<64xf32>) {
  %key = memref.alloc() : memref<64xf32>
  %value = memref.alloc() : memref<64xf32>
  hip.gqa(%ctx) ins(%q : memref<64xf32>) outs(%o, %key, %value : memref<64xf32>, memref<64xf32>, memref<64xf32>)
  hip.neg(%ctx) ins(%key : memref<64xf32>) outs(%pk : memref<64xf32>)
  hip.neg(%ctx) ins(%value : memref<64xf32>) outs(%pv : memref<64xf32>)
  return
}
