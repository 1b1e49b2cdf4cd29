// A small classifier: 64 -> 128 -> 10, batch 1, float32.
// Weights: mlp_small.safetensors, made by generate_weights.py.
module attributes {graph.weights = "mlp_small.safetensors"} {
  func.func @main(%x: tensor<1x64xf32> {graph.name = "x"})
      -> (tensor<1x10xf32> {graph.name = "logits"}) {
    %w1 = graph.constant @"linear1.weight" : tensor<128x64xf32>
    %b1 = graph.constant @"linear1.bias" : tensor<128xf32>
    %w2 = graph.constant @"linear2.weight" : tensor<10x128xf32>
    %b2 = graph.constant @"linear2.bias" : tensor<10xf32>
    %0 = graph.linear %x, %w1, %b1
      : (tensor<1x64xf32>, tensor<128x64xf32>, tensor<128xf32>)
      -> tensor<1x128xf32>
    %1 = graph.relu %0 : tensor<1x128xf32>
    %2 = graph.linear %1, %w2, %b2
      : (tensor<1x128xf32>, tensor<10x128xf32>, tensor<10xf32>)
      -> tensor<1x10xf32>
    return %2 : tensor<1x10xf32>
  }
}
