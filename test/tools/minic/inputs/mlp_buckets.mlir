// Two linears with weights, for rows that vary.
module attributes {graph.buckets = {T = array<i64: 4, 16>}} {
  func.func @main(%x: tensor<?x48xf32> {graph.dims = ["T", 48]}) -> tensor<?x32xf32> {
    %w1 = graph.constant @w1 : tensor<64x48xf32>
    %w2 = graph.constant @w2 : tensor<32x64xf32>
    %0 = graph.linear %x, %w1
      : (tensor<?x48xf32>, tensor<64x48xf32>) -> tensor<?x64xf32>
    %1 = graph.relu %0 : tensor<?x64xf32>
    %2 = graph.linear %1, %w2
      : (tensor<?x64xf32>, tensor<32x64xf32>) -> tensor<?x32xf32>
    return %2 : tensor<?x32xf32>
  }
}
