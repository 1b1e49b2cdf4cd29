// A multilayer perceptron: 1024 -> 1024 -> 1024, batch 256, float32.
// Weights: mlp.safetensors, made by generate_weights.py.
module attributes {graph.weights = "mlp.safetensors"} {
  func.func @main(%x: tensor<256x1024xf32> {graph.name = "x"})
      -> (tensor<256x1024xf32> {graph.name = "y"}) {
    %w1 = graph.constant @"linear1.weight" : tensor<1024x1024xf32>
    %b1 = graph.constant @"linear1.bias" : tensor<1024xf32>
    %w2 = graph.constant @"linear2.weight" : tensor<1024x1024xf32>
    %b2 = graph.constant @"linear2.bias" : tensor<1024xf32>
    %0 = graph.linear %x, %w1, %b1
      : (tensor<256x1024xf32>, tensor<1024x1024xf32>, tensor<1024xf32>)
      -> tensor<256x1024xf32>
    %1 = graph.relu %0 : tensor<256x1024xf32>
    %2 = graph.linear %1, %w2, %b2
      : (tensor<256x1024xf32>, tensor<1024x1024xf32>, tensor<1024xf32>)
      -> tensor<256x1024xf32>
    return %2 : tensor<256x1024xf32>
  }
}
