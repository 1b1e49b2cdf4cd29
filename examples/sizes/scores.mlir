// A score of each token, and of the mean of them: batch and length vary. The second
// does not depend on the length.
module attributes {graph.buckets = {B = array<i64: 1, 2>, T = array<i64: 3, 8>}} {
  func.func @main(%x: tensor<?x?x16xf32> {graph.name = "x", graph.dims = ["B", "T", 16]})
      -> (tensor<?x?x4xf32> {graph.name = "tokens"}, tensor<?x4xf32> {graph.name = "mean"}) {
    %w = graph.constant dense<0.25> : tensor<4x16xf32>
    %tokens = graph.linear %x, %w
      : (tensor<?x?x16xf32>, tensor<4x16xf32>) -> tensor<?x?x4xf32>
    %pooled = graph.reduce mean, %x [1] : tensor<?x?x16xf32> -> tensor<?x16xf32>
    %mean = graph.linear %pooled, %w
      : (tensor<?x16xf32>, tensor<4x16xf32>) -> tensor<?x4xf32>
    return %tokens, %mean : tensor<?x?x4xf32>, tensor<?x4xf32>
  }
}
