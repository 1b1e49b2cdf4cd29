// Takes many seconds to tune, so that there is time to interrupt it.
func.func @main(%x: tensor<512x2048xf32>, %w: tensor<2048x2048xf32>) -> tensor<512x2048xf32> {
  %0 = graph.linear %x, %w : (tensor<512x2048xf32>, tensor<2048x2048xf32>) -> tensor<512x2048xf32>
  %1 = graph.gelu %0 : tensor<512x2048xf32>
  return %1 : tensor<512x2048xf32>
}
