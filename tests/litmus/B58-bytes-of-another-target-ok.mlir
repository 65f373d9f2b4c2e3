// B58. WickedEngine #1704: the logical bytes are equal, what the target requires is not (here: packed i4 in the type,
// one byte per i4 on the target, by its profile).
// Right: the memory has what the target requires.
// RUN: exits 0 smtalloc verify --no-minimum --profile %profiles/two-queues.toml %inputs/B58-bytes-of-another-target.before.mlir %s | filecheck %s
// CHECK: @f: SAFE
func.func @f(%x: memref<16xi4>, %o: memref<16xi4>) {
  %c0 = arith.constant 0 : index
  %m = memref.alloc() : memref<16xi8>
  %s = memref.view %m[%c0][] : memref<16xi8> to memref<16xi4>
  "compq.map"(%x, %s) : (memref<16xi4>, memref<16xi4>) -> ()
  "compq.map"(%s, %o) : (memref<16xi4>, memref<16xi4>) -> ()
  return
}
