// A linear layer with constants of its own: needs no weights file.
func.func @main(%x: tensor<3x4xf32>) -> tensor<3x20xf32> {
  %w = graph.constant dense<0.125> : tensor<20x4xf32>
  %b = graph.constant dense<-0.5> : tensor<20xf32>
  %0 = graph.linear %x, %w, %b : (tensor<3x4xf32>, tensor<20x4xf32>, tensor<20xf32>) -> tensor<3x20xf32>
  %1 = graph.relu %0 : tensor<3x20xf32>
  return %1 : tensor<3x20xf32>
}
