// SPDX-License-Identifier: Apache-2.0
// An autotuned block and no key, in CUDA C++:
//   minic --mode=max-autotune --target=cuda sin_cuda.mlir
func.func @main(%x: tensor<4000000xf32>) -> tensor<4000000xf32> {
  %0 = graph.kernel @sine_of(%x) {
      language = "cuda", files = ["sin.cu"], entry = "sine_of",
      dims = [["N"], ["N"]], scalars = ["N"],
      configs = [{BLOCK = [64, 128, 256, 512]}],
      grid = "ceildiv(N, 4 * BLOCK)", block = "BLOCK", reference = @sin}
    : (tensor<4000000xf32>) -> tensor<4000000xf32>
  return %0 : tensor<4000000xf32>
}
func.func private @sin(%x: tensor<4000000xf32>) -> tensor<4000000xf32> {
  %0 = graph.sin %x : tensor<4000000xf32>
  return %0 : tensor<4000000xf32>
}
