// REQUIRES: mlir-opt
// RUN: smtalloc plan %s --emit mlir --generic | mlir-opt --allow-unregistered-dialect | filecheck %s
// RUN: smtalloc plan %s --emit mlir --generic | mlir-opt --allow-unregistered-dialect -mlir-print-op-generic | smtalloc verify %s -

// What is written is MLIR: mlir-opt takes it, and what mlir-opt prints is still the same program.

// CHECK: memref.alloc() : memref<64xf32>
// CHECK: "hip.add"
func.func @f(%ctx: !hip.context, %a: memref<64xf32>, %o: memref<64xf32>) {
  %s = memref.alloc() : memref<64xf32>
  %t = memref.alloc() : memref<64xf32>
  hip.add(%ctx) ins(%a, %a : memref<64xf32>, memref<64xf32>) outs(%s : memref<64xf32>)
  hip.add(%ctx) ins(%s, %a : memref<64xf32>, memref<64xf32>) outs(%o : memref<64xf32>)
  hip.add(%ctx) ins(%a, %o : memref<64xf32>, memref<64xf32>) outs(%t : memref<64xf32>)
  hip.add(%ctx) ins(%t, %a : memref<64xf32>, memref<64xf32>) outs(%o : memref<64xf32>)
  return
}
