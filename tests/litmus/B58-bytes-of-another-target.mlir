// B58. WickedEngine #1704: the logical bytes are equal, what the target requires is not (here: packed i4 in the type,
// one byte per i4 on the target, by its profile).
// Goes wrong: 16 i4 are given 8 bytes, and the target uses 16.
// RUN: exits 1 smtalloc verify --profile %profiles/two-queues.toml %inputs/B58-bytes-of-another-target.before.mlir %s | filecheck %s
// CHECK: @f: UNSAFE (too-small)
// CHECK: too-small: %s in %m: needs bytes 0 to 16, the memory has 8
func.func @f(%x: memref<16xi4>, %o: memref<16xi4>) {
  %c0 = arith.constant 0 : index
  %m = memref.alloc() : memref<8xi8>
  %s = memref.view %m[%c0][] : memref<8xi8> to memref<16xi4>
  "compq.map"(%x, %s) : (memref<16xi4>, memref<16xi4>) -> ()
  "compq.map"(%s, %o) : (memref<16xi4>, memref<16xi4>) -> ()
  return
}
