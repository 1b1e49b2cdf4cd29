func.func @main(%x: tensor<3x4xbf16>, %w: tensor<4x20xbf16>) -> tensor<3x20xbf16> {
  %0 = graph.matmul %x, %w : (tensor<3x4xbf16>, tensor<4x20xbf16>) -> tensor<3x20xbf16>
  return %0 : tensor<3x20xbf16>
}
