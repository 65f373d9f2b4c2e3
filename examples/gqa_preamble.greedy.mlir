module {
  memref.global "private" constant @axes : memref<1xi64> = dense<1>
  func.func @gqa_preamble(%ctx: !hip.context, %mask: memref<1x8xi64> {smtalloc.value = [193, 192, 192, 192, 192, 192, 192, 192]}, %one: memref<i64> {smtalloc.value = 1 : i64}, %rows: i64 {smtalloc.value = 4096 : i64}, %seqlens: memref<1x1xi32>, %total_length: memref<i32>) {
    %axes = memref.get_global @axes : memref<1xi64>
    %sum = memref.alloc() {alignment = 64 : i64} : memref<1x1xi64>
    hip.reduce_sum(%ctx) ins(%mask, %axes : memref<1x8xi64>, memref<1xi64>) outs(%sum : memref<1x1xi64>)
    %last = memref.alloc() {alignment = 64 : i64} : memref<1x1xi64>
    hip.sub(%ctx) ins(%sum, %one : memref<1x1xi64>, memref<i64>) outs(%last : memref<1x1xi64>)
    hip.cast(%ctx) ins(%last : memref<1x1xi64>) outs(%seqlens : memref<1x1xi32>) {to = 6 : i64}
    %length_0 = memref.reinterpret_cast %sum to offset: [0], sizes: [], strides: [] : memref<1x1xi64> to memref<i64>
    memref.store %rows, %length_0[] : memref<i64>
    hip.cast(%ctx) ins(%length_0 : memref<i64>) outs(%total_length : memref<i32>) {to = 6 : i64}
    return
  }
}
