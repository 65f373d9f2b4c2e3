func.func @apart(%ctx: !hip.context, %a: memref<?x64xf32>, %b: memref<?x64xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %at = arith.muli %n, %c256 : index
  %more = arith.muli %m, %c256 : index
  %size = arith.addi %at, %more : index
  %p = hip.get_pool(%ctx, %size) : memref<?xi8>
  %s = memref.view %p[%c0][%n] : memref<?xi8> to memref<?x64xf32>
  %t = memref.view %p[%at][%m] : memref<?xi8> to memref<?x64xf32>
  hip.add(%ctx) ins(%a, %a : memref<?x64xf32>, memref<?x64xf32>) outs(%s : memref<?x64xf32>)
  hip.add(%ctx) ins(%a, %a : memref<?x64xf32>, memref<?x64xf32>) outs(%t : memref<?x64xf32>)
  hip.add(%ctx) ins(%s, %t : memref<?x64xf32>, memref<?x64xf32>) outs(%b : memref<?x64xf32>)
  return
}
func.func @together(%ctx: !hip.context, %a: memref<?x64xf32>, %b: memref<?x64xf32>, %n: index, %m: index) {
  %s = memref.alloc(%n) : memref<?x64xf32>
  hip.add(%ctx) ins(%a, %a : memref<?x64xf32>, memref<?x64xf32>) outs(%s : memref<?x64xf32>)
  hip.add(%ctx) ins(%a, %a : memref<?x64xf32>, memref<?x64xf32>) outs(%s : memref<?x64xf32>)
  hip.add(%ctx) ins(%s, %s : memref<?x64xf32>, memref<?x64xf32>) outs(%b : memref<?x64xf32>)
  return
}
func.func @too_small(%ctx: !hip.context, %a: memref<?x64xf32>, %b: memref<?x64xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %at = arith.muli %n, %c256 : index
  %size = arith.addi %at, %at : index
  %p = hip.get_pool(%ctx, %size) : memref<?xi8>
  %s = memref.view %p[%c0][%n] : memref<?xi8> to memref<?x64xf32>
  %t = memref.view %p[%at][%m] : memref<?xi8> to memref<?x64xf32>
  hip.add(%ctx) ins(%a, %a : memref<?x64xf32>, memref<?x64xf32>) outs(%s : memref<?x64xf32>)
  hip.add(%ctx) ins(%a, %a : memref<?x64xf32>, memref<?x64xf32>) outs(%t : memref<?x64xf32>)
  hip.add(%ctx) ins(%s, %t : memref<?x64xf32>, memref<?x64xf32>) outs(%b : memref<?x64xf32>)
  return
}
func.func @misaligned(%ctx: !hip.context, %a: memref<?x64xf32>, %b: memref<?x64xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %more = arith.muli %m, %c256 : index
  %size = arith.addi %n, %more : index
  %p = hip.get_pool(%ctx, %size) : memref<?xi8>
  %s = memref.view %p[%c0][%n] : memref<?xi8> to memref<?xi8>
  %t = memref.view %p[%n][%m] : memref<?xi8> to memref<?x64xf32>
  hip.cast(%ctx) ins(%a : memref<?x64xf32>) outs(%s : memref<?xi8>)
  hip.add(%ctx) ins(%a, %a : memref<?x64xf32>, memref<?x64xf32>) outs(%t : memref<?x64xf32>)
  hip.add(%ctx) ins(%s, %t : memref<?xi8>, memref<?x64xf32>) outs(%b : memref<?x64xf32>)
  return
}
func.func @outgrown(%ctx: !hip.context, %a: memref<?x64xf32>, %b: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %at = arith.muli %n, %c256 : index
  %size = arith.addi %at, %c128 : index
  %p = hip.get_pool(%ctx, %size) : memref<?xi8>
  %s = memref.view %p[%c0][%n] : memref<?xi8> to memref<?x64xf32>
  %t = memref.view %p[%at][] : memref<?xi8> to memref<64xf32>
  hip.add(%ctx) ins(%a, %a : memref<?x64xf32>, memref<?x64xf32>) outs(%s : memref<?x64xf32>)
  hip.sum(%ctx) ins(%s : memref<?x64xf32>) outs(%t : memref<64xf32>)
  hip.neg(%ctx) ins(%t : memref<64xf32>) outs(%b : memref<64xf32>)
  return
}
