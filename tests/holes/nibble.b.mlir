func.func @f(%ctx: !hip.context, %x: memref<2xi4>, %y: memref<1xi8>, %o: memref<2xi4>, %o2: memref<1xi8>)  {
%c0 = arith.constant 0 : index
%a = memref.alloc() : memref<2xi4>
%b = memref.alloc() : memref<1xi8>
hip.relu(%ctx) ins(%x : memref<2xi4>) outs(%a : memref<2xi4>)
hip.relu(%ctx) ins(%y : memref<1xi8>) outs(%b : memref<1xi8>)
hip.neg(%ctx) ins(%b : memref<1xi8>) outs(%o2 : memref<1xi8>)
%sv = memref.subview %a[0][1][1] : memref<2xi4> to memref<1xi4, strided<[1]>>
hip.relu(%ctx) ins(%y : memref<1xi8>) outs(%sv : memref<1xi4, strided<[1]>>)
hip.neg(%ctx) ins(%a : memref<2xi4>) outs(%o : memref<2xi4>)

return
}
