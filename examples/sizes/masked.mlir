// Attention of one head in pieces. An integer mask says which tokens take part,
// in the attention and in the sum over all of them.
module attributes {graph.buckets = {T = array<i64: 8, 20>}} {
  func.func @main(
      %x: tensor<2x?x8xf32> {graph.name = "x", graph.dims = [2, "T", 8]},
      %mask: tensor<2x?xi64> {graph.name = "mask", graph.dims = [2, "T"]})
      -> (tensor<2x?x8xf32> {graph.name = "y"},
          tensor<2x8xf32> {graph.name = "sum"}) {
    %one = graph.constant dense<1.0> : tensor<f32>
    %low = graph.constant dense<-10000.0> : tensor<f32>
    %kept = graph.cast %mask : tensor<2x?xi64> to tensor<2x?xf32>
    %keys = graph.reshape %kept {graph.dims = [2, 1, "T"]}
      : tensor<2x?xf32> to tensor<2x1x?xf32>
    %off = graph.sub %one, %keys : (tensor<f32>, tensor<2x1x?xf32>) -> tensor<2x1x?xf32>
    %bias = graph.mul %off, %low : (tensor<2x1x?xf32>, tensor<f32>) -> tensor<2x1x?xf32>
    %products = graph.matmul %x, %x {transpose_rhs}
      : (tensor<2x?x8xf32>, tensor<2x?x8xf32>) -> tensor<2x?x?xf32>
    %scores = graph.add %products, %bias
      : (tensor<2x?x?xf32>, tensor<2x1x?xf32>) -> tensor<2x?x?xf32>
    %weights = graph.softmax %scores axis = 2 : tensor<2x?x?xf32>
    %y = graph.matmul %weights, %x
      : (tensor<2x?x?xf32>, tensor<2x?x8xf32>) -> tensor<2x?x8xf32>
    %rows = graph.reshape %kept {graph.dims = [2, "T", 1]}
      : tensor<2x?xf32> to tensor<2x?x1xf32>
    %masked = graph.mul %y, %rows
      : (tensor<2x?x8xf32>, tensor<2x?x1xf32>) -> tensor<2x?x8xf32>
    %sum = graph.reduce sum, %masked [1] : tensor<2x?x8xf32> -> tensor<2x8xf32>
    return %y, %sum : tensor<2x?x8xf32>, tensor<2x8xf32>
  }
}
