func.func @small(%x: tensor<8x64xbf16>, %w: tensor<640x64xbf16>) -> tensor<8x640xbf16> {
  %0 = graph.linear %x, %w : (tensor<8x64xbf16>, tensor<640x64xbf16>) -> tensor<8x640xbf16>
  return %0 : tensor<8x640xbf16>
}

func.func @large(%x: tensor<1024x1024xbf16>, %w: tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16> {
  %0 = graph.linear %x, %w : (tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
  return %0 : tensor<1024x1024xbf16>
}
