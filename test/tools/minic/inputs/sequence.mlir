// Scores of each token, and of the mean of them: batch and length vary.
module attributes {graph.buckets = {B = array<i64: 1, 2>, T = array<i64: 8, 3>}} {
  func.func @main(
      %x: tensor<?x?x16xf32> {graph.dims = ["B", "T", 16]},
      %w: tensor<4x16xf32>) -> (tensor<?x?x4xf32> {graph.name = "tokens"},
                                tensor<?x4xf32> {graph.name = "mean"}) {
    %rows = graph.reshape %x : tensor<?x?x16xf32> to tensor<?x16xf32>
    %scores = graph.linear %rows, %w
      : (tensor<?x16xf32>, tensor<4x16xf32>) -> tensor<?x4xf32>
    %tokens = graph.reshape %scores {graph.dims = ["B", "T", 4]}
      : tensor<?x4xf32> to tensor<?x?x4xf32>
    %pooled = graph.reduce mean, %x [1] : tensor<?x?x16xf32> -> tensor<?x16xf32>
    %mean = graph.linear %pooled, %w
      : (tensor<?x16xf32>, tensor<4x16xf32>) -> tensor<?x4xf32>
    return %tokens, %mean : tensor<?x?x4xf32>, tensor<?x4xf32>
  }
  func.func @square(%x: tensor<?x5xf32> {graph.dims = ["B", 5]}) -> tensor<?x5xf32> {
    %0 = graph.mul %x, %x : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
    return %0 : tensor<?x5xf32>
  }
  func.func @fixed(%x: tensor<5xf32>) -> tensor<5xf32> {
    %0 = graph.relu %x : tensor<5xf32>
    return %0 : tensor<5xf32>
  }
}
