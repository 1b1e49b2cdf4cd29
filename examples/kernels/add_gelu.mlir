// SPDX-License-Identifier: Apache-2.0
// CUDA C++, compiled by NVRTC; a CPU compiles the reference:
//   minic --target=cuda --device-profile=h200 add_gelu.mlir
func.func @main(%a: tensor<512x1024xf32>, %b: tensor<512x1024xf32>)
    -> tensor<512x1024xf32> {
  %0 = graph.kernel @add_gelu(%a, %b) {
      language = "cuda", files = ["add_gelu.cu"], entry = "add_gelu",
      dims = [["M", "N"], ["M", "N"], ["M", "N"]], scalars = ["M * N"],
      configs = [{BLOCK = [128, 256, 512]}],
      grid = "ceildiv(M * N, 4 * BLOCK)", block = "BLOCK", reference = @body}
    : (tensor<512x1024xf32>, tensor<512x1024xf32>) -> tensor<512x1024xf32>
  return %0 : tensor<512x1024xf32>
}
func.func private @body(%a: tensor<512x1024xf32>, %b: tensor<512x1024xf32>)
    -> tensor<512x1024xf32> {
  %0 = graph.add %a, %b : tensor<512x1024xf32>
  %1 = graph.gelu %0 : tensor<512x1024xf32>
  return %1 : tensor<512x1024xf32>
}
