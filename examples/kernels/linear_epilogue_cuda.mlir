// SPDX-License-Identifier: Apache-2.0
// The same in CUDA C++:
//   minic --target=cuda --device-profile=h200 linear_epilogue_cuda.mlir
// A kernel that takes what follows it: one launch computes the linear, the bias,
// the GELU and the residual.
func.func @main(%x: tensor<32x256xf32>, %w: tensor<128x256xf32>,
                %bias: tensor<128xf32>, %residual: tensor<32x128xf32>)
    -> tensor<32x128xf32> {
  %0 = graph.kernel @linear(%x, %w) {
      language = "cuda", files = ["linear_epilogue.cu"], entry = "linear",
      dims = [["M", "K"], ["N", "K"], ["M", "N"]], key = ["N", "K"],
      scalars = ["M"], configs = [{BLOCK = [32, 64, 128]}],
      grid = "ceildiv(N, BLOCK), M", block = "BLOCK", epilogue = "finish",
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
