func.func @gelu_linear(%x: tensor<256x1024xbf16>, %w: tensor<1024x1024xbf16>) -> tensor<256x1024xbf16> {
  %0 = graph.gelu %x : tensor<256x1024xbf16>
  %1 = graph.linear %0, %w : (tensor<256x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<256x1024xbf16>
  return %1 : tensor<256x1024xbf16>
}

func.func @two_linears(%x: tensor<256x1024xbf16>, %v: tensor<1024x1024xbf16>, %w: tensor<1024x1024xbf16>) -> tensor<256x1024xbf16> {
  %0 = graph.linear %x, %v : (tensor<256x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<256x1024xbf16>
  %1 = graph.linear %0, %w : (tensor<256x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<256x1024xbf16>
  return %1 : tensor<256x1024xbf16>
}
