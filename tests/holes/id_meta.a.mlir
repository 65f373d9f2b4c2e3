func.func @f(%ctx: !hip.context, %u: memref<?xf32>, %o: memref<?xf32>)  {
  %base, %off, %sz, %st = memref.extract_strided_metadata %u : memref<?xf32> -> memref<f32>, index, index, index
  %a = memref.reinterpret_cast %base to offset: [%off], sizes: [%sz], strides: [%st] : memref<f32> to memref<?xf32, strided<[?], offset: ?>>
  hip.relu(%ctx) ins(%a : memref<?xf32, strided<[?], offset: ?>>) outs(%o : memref<?xf32>)
  return
}
