// Two kernels of the user's with one of minic's between them.
func.func @main(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.kernel @one(%a, %b) {
      language = "cuda", files = ["add_gelu.cu"], entry = "add_gelu",
      configs = [{BLOCK = 128}], scalars = ["4096"], grid = "8", block = "BLOCK",
      reference = @body} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = graph.softmax %0 axis = 1 : tensor<64x64xf32>
  %2 = graph.kernel @two(%1, %1) {
      language = "cuda", files = ["add_gelu.cu"], entry = "add_gelu",
      configs = [{BLOCK = 64}], scalars = ["4096"], grid = "16", block = "BLOCK",
      reference = @body} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}
func.func private @body(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.add %a, %b : tensor<64x64xf32>
  %1 = graph.gelu %0 : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
