func.func @main(%x: tensor<3x4xbf16>, %w: tensor<4x20xbf16>, %v: tensor<20x8xbf16>) -> tensor<3x8xbf16> {
  %0 = graph.matmul %x, %w : (tensor<3x4xbf16>, tensor<4x20xbf16>) -> tensor<3x20xbf16>
  %1 = graph.relu %0 : tensor<3x20xbf16>
  %2 = graph.matmul %1, %v : (tensor<3x20xbf16>, tensor<20x8xbf16>) -> tensor<3x8xbf16>
  return %2 : tensor<3x8xbf16>
}
