func.func @main(%x: tensor<1x5x5x8xbf16>, %w: tensor<8x8x1x1xbf16>) -> tensor<1x5x5x8xbf16> {
  %0 = graph.conv2d %x, %w {layout = "nhwc"} : (tensor<1x5x5x8xbf16>, tensor<8x8x1x1xbf16>) -> tensor<1x5x5x8xbf16>
  return %0 : tensor<1x5x5x8xbf16>
}
