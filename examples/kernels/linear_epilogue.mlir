// SPDX-License-Identifier: Apache-2.0
// A kernel that takes what follows it: one launch computes the linear, the bias,
// the GELU and the residual.
func.func @main(%x: tensor<32x256xf32>, %w: tensor<128x256xf32>,
                %bias: tensor<128xf32>, %residual: tensor<32x128xf32>)
    -> tensor<32x128xf32> {
  %0 = graph.kernel @linear(%x, %w) {
      language = "c", files = ["linear_epilogue.c"], entry = "linear",
      dims = [["M", "K"], ["N", "K"], ["M", "N"]], key = ["N", "K"],
      scalars = ["M"], configs = [{BLOCK = [8, 16, 32]}],
      where = ["N % BLOCK == 0"], grid = "N / BLOCK", epilogue = "finish",
      reference = @product}
    : (tensor<32x256xf32>, tensor<128x256xf32>) -> tensor<32x128xf32>
  %1 = graph.add %0, %bias
    : (tensor<32x128xf32>, tensor<128xf32>) -> tensor<32x128xf32>
  %2 = graph.gelu %1 : tensor<32x128xf32>
  %3 = graph.add %2, %residual : tensor<32x128xf32>
  return %3 : tensor<32x128xf32>
}
func.func private @product(%x: tensor<32x256xf32>, %w: tensor<128x256xf32>)
    -> tensor<32x128xf32> {
  %0 = graph.linear %x, %w
    : (tensor<32x256xf32>, tensor<128x256xf32>) -> tensor<32x128xf32>
  return %0 : tensor<32x128xf32>
}
