func.func @main(%x: tensor<4x64xf32>, %w: tensor<48x64xf32>) -> tensor<4x48xf32> {
  %0 = graph.linear %x, %w : (tensor<4x64xf32>, tensor<48x64xf32>) -> tensor<4x48xf32>
  %1 = graph.relu %0 : tensor<4x48xf32>
  return %1 : tensor<4x48xf32>
}
