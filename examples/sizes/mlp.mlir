// The two linears of a transformer's layer and a softmax, for as many rows as a run
// has: T of them. No row depends on another, so that a run of fewer may be padded.
func.func @main(%x: tensor<?x256xf32> {graph.name = "x", graph.dims = ["T", 256]})
    -> (tensor<?x256xf32> {graph.name = "y"}) {
  %w1 = graph.constant dense<0.01> : tensor<512x256xf32>
  %w2 = graph.constant dense<0.02> : tensor<256x512xf32>
  %0 = graph.linear %x, %w1
    : (tensor<?x256xf32>, tensor<512x256xf32>) -> tensor<?x512xf32>
  %1 = graph.gelu %0 : tensor<?x512xf32>
  %2 = graph.linear %1, %w2
    : (tensor<?x512xf32>, tensor<256x512xf32>) -> tensor<?x256xf32>
  %3 = graph.add %2, %x : tensor<?x256xf32>
  %4 = graph.softmax %3 axis = 1 : tensor<?x256xf32>
  return %4 : tensor<?x256xf32>
}
