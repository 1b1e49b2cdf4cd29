// SPDX-License-Identifier: Apache-2.0
// A kernel for one extension. Without AVX-512 its reference is compiled:
//   minic --target=cpu --cpu-isa=v3 relu_avx512.mlir
func.func @main(%x: tensor<96x640xf32>, %bias: tensor<640xf32>)
    -> tensor<96x640xf32> {
  %0 = graph.kernel @relu_bias(%x, %bias) {
      language = "c", files = ["relu_avx512.c"], entry = "relu_bias",
      features = ["avx512f"], dims = [["M", "COLUMNS"], ["COLUMNS"], ["M", "COLUMNS"]],
      key = ["COLUMNS"], where = ["COLUMNS % 16 == 0"], scalars = ["M"],
      configs = [{ROWS = [1, 4, 16]}], grid = "ceildiv(M, ROWS)",
      reference = @body}
    : (tensor<96x640xf32>, tensor<640xf32>) -> tensor<96x640xf32>
  return %0 : tensor<96x640xf32>
}
func.func private @body(%x: tensor<96x640xf32>, %bias: tensor<640xf32>)
    -> tensor<96x640xf32> {
  %0 = graph.relu %x : tensor<96x640xf32>
  %1 = graph.add %0, %bias
    : (tensor<96x640xf32>, tensor<640xf32>) -> tensor<96x640xf32>
  return %1 : tensor<96x640xf32>
}
