func.func @main(%x: tensor<4x64xbf16>, %w: tensor<48x64xbf16>) -> tensor<4x48xbf16> {
  %0 = graph.linear %x, %w : (tensor<4x64xbf16>, tensor<48x64xbf16>) -> tensor<4x48xbf16>
  %1 = graph.relu %0 : tensor<4x48xbf16>
  return %1 : tensor<4x48xbf16>
}
