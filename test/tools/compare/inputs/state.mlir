// A cache that is updated twice in place, what reads it in between, a view, a
// value that is returned twice.
func.func @main(%x: tensor<4x2xf32>, %cache: tensor<8x2xf32>, %new: tensor<1x2xf32>, %at: tensor<i64>)
    -> (tensor<8x2xf32> {graph.in_place = 1 : i64}, tensor<4x8xf32>, tensor<4x8xf32>, tensor<32xf32>) {
  %0 = graph.cache_update %cache, %new at %at axis = 0 : (tensor<8x2xf32>, tensor<1x2xf32>, tensor<i64>) -> tensor<8x2xf32>
  %1 = graph.linear %x, %0 : (tensor<4x2xf32>, tensor<8x2xf32>) -> tensor<4x8xf32>
  %2 = graph.softmax %1 axis = 1 : tensor<4x8xf32>
  %3 = graph.reshape %2 : tensor<4x8xf32> to tensor<32xf32>
  %4 = graph.exp %3 : tensor<32xf32>
  %5 = graph.reshape %2 : tensor<4x8xf32> to tensor<16x2xf32>
  return %0, %2, %2, %4 : tensor<8x2xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<32xf32>
}
