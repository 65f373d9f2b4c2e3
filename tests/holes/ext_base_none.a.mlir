func.func @f(%ctx: !hip.context, %n: index, %a: memref<1024xi8>, %o: memref<8xi8>)  {
  %w = memref.view %a[%n][] : memref<1024xi8> to memref<64xi8>
  %v = memref.subview %w[8] [8] [1] : memref<64xi8> to memref<8xi8, strided<[1], offset: 8>>
  hip.relu(%ctx) ins(%v : memref<8xi8, strided<[1], offset: 8>>) outs(%o : memref<8xi8>)
  return
}
