func.func @main(%x: tensor<16x96xf32>, %w: tensor<80x96xf32>) -> tensor<16x80xf32> {
  %0 = graph.linear %x, %w : (tensor<16x96xf32>, tensor<80x96xf32>) -> tensor<16x80xf32>
  %1 = graph.relu %0 : tensor<16x80xf32>
  return %1 : tensor<16x80xf32>
}
