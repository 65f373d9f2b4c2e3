// RUN: not smtalloc verify %s %S/Inputs/verify_dynamic.after.mlir --no-minimum | filecheck %s

// Slabs of one pool at run-time offsets. The first function is right; in the others one fact is missing, and named.

// CHECK:      @apart: SAFE
// CHECK:      @together: UNSAFE
// CHECK:      @too_small: UNKNOWN: {{.*}}%t in %{{.*}} at offset 256*%n: it cannot be shown that it fits: 0 <= 256*%n and 256*%m + 256*%n <= 512*%n would have to hold for all values
// CHECK:      @misaligned: UNKNOWN: {{.*}}%t in %{{.*}} at offset %n: it cannot be shown that this is a multiple of its alignment, 4
// CHECK:      @outgrown: UNSAFE (too-small)
// CHECK:      too-small: %t in %{{.*}} at offset 256*%n: needs bytes 256*%n to 256*%n + 256, the memory has 256*%n + 128
func.func @apart(%ctx: !hip.context, %a: memref<?x64xf32>, %b: memref<?x64xf32>, %n: index, %m: index) {
  %s = memref.alloc(%n) : memref<?x64xf32>
  %t = memref.alloc(%m) : memref<?x64xf32>
  hip.add(%ctx) ins(%a, %a : memref<?x64xf32>, memref<?x64xf32>) outs(%s : memref<?x64xf32>)
  hip.add(%ctx) ins(%a, %a : memref<?x64xf32>, memref<?x64xf32>) outs(%t : memref<?x64xf32>)
  hip.add(%ctx) ins(%s, %t : memref<?x64xf32>, memref<?x64xf32>) outs(%b : memref<?x64xf32>)
  return
}
func.func @together(%ctx: !hip.context, %a: memref<?x64xf32>, %b: memref<?x64xf32>, %n: index, %m: index) {
  %s = memref.alloc(%n) : memref<?x64xf32>
  %t = memref.alloc(%n) : memref<?x64xf32>
  hip.add(%ctx) ins(%a, %a : memref<?x64xf32>, memref<?x64xf32>) outs(%s : memref<?x64xf32>)
  hip.add(%ctx) ins(%a, %a : memref<?x64xf32>, memref<?x64xf32>) outs(%t : memref<?x64xf32>)
  hip.add(%ctx) ins(%s, %t : memref<?x64xf32>, memref<?x64xf32>) outs(%b : memref<?x64xf32>)
  return
}
func.func @too_small(%ctx: !hip.context, %a: memref<?x64xf32>, %b: memref<?x64xf32>, %n: index, %m: index) {
  %s = memref.alloc(%n) : memref<?x64xf32>
  %t = memref.alloc(%m) : memref<?x64xf32>
  hip.add(%ctx) ins(%a, %a : memref<?x64xf32>, memref<?x64xf32>) outs(%s : memref<?x64xf32>)
  hip.add(%ctx) ins(%a, %a : memref<?x64xf32>, memref<?x64xf32>) outs(%t : memref<?x64xf32>)
  hip.add(%ctx) ins(%s, %t : memref<?x64xf32>, memref<?x64xf32>) outs(%b : memref<?x64xf32>)
  return
}
func.func @misaligned(%ctx: !hip.context, %a: memref<?x64xf32>, %b: memref<?x64xf32>, %n: index, %m: index) {
  %s = memref.alloc(%n) : memref<?xi8>
  %t = memref.alloc(%m) : memref<?x64xf32>
  hip.cast(%ctx) ins(%a : memref<?x64xf32>) outs(%s : memref<?xi8>)
  hip.add(%ctx) ins(%a, %a : memref<?x64xf32>, memref<?x64xf32>) outs(%t : memref<?x64xf32>)
  hip.add(%ctx) ins(%s, %t : memref<?xi8>, memref<?x64xf32>) outs(%b : memref<?x64xf32>)
  return
}
func.func @outgrown(%ctx: !hip.context, %a: memref<?x64xf32>, %b: memref<64xf32>, %n: index) {
  %s = memref.alloc(%n) : memref<?x64xf32>
  %t = memref.alloc() : memref<64xf32>
  hip.add(%ctx) ins(%a, %a : memref<?x64xf32>, memref<?x64xf32>) outs(%s : memref<?x64xf32>)
  hip.sum(%ctx) ins(%s : memref<?x64xf32>) outs(%t : memref<64xf32>)
  hip.neg(%ctx) ins(%t : memref<64xf32>) outs(%b : memref<64xf32>)
  return
}
