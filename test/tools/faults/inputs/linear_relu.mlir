func.func @main(%x: tensor<3x4xf32>, %w: tensor<20x4xf32>) -> tensor<3x20xf32> {
  %0 = graph.linear %x, %w : (tensor<3x4xf32>, tensor<20x4xf32>) -> tensor<3x20xf32>
  %1 = graph.relu %0 : tensor<3x20xf32>
  return %1 : tensor<3x20xf32>
}
