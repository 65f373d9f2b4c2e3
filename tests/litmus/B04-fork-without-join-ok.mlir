// B04. onnxruntime #7645: one consumer writes over the input of another. As gpu tokens, a fork.
// Right: it takes both.
// RUN: exits 0 smtalloc races %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%x: memref<8xf32>, %y: memref<8xf32>, %o: memref<8xf32>) {
  %s = memref.alloc() : memref<8xf32>
  %t = memref.alloc() : memref<8xf32>
  %start = gpu.wait async
  %a = gpu.memcpy async [%start] %s, %x : memref<8xf32>, memref<8xf32>
  %b = gpu.memcpy async [%start] %t, %y : memref<8xf32>, memref<8xf32>
  %both = gpu.wait async [%a, %b]
  %c = gpu.memcpy async [%both] %y, %s : memref<8xf32>, memref<8xf32>
  gpu.wait [%c]
  return
}
