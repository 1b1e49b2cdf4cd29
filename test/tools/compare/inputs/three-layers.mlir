func.func @main(%x: tensor<64x64xf32>)
    -> (tensor<64x32xf32> {graph.name = "y"}) {
  %w1 = graph.constant @w1 : tensor<64x64xf32>
  %w2 = graph.constant @w2 : tensor<64x64xf32>
  %w3 = graph.constant @w3 : tensor<32x64xf32>
  %first = graph.linear %x, %w1
    : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %a = graph.tanh %first : tensor<64x64xf32> loc("first.act")
  %second = graph.linear %a, %w2
    : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %b = graph.relu %second : tensor<64x64xf32> loc("second.act")
  %y = graph.linear %b, %w3
    : (tensor<64x64xf32>, tensor<32x64xf32>) -> tensor<64x32xf32>
  return %y : tensor<64x32xf32>
}
