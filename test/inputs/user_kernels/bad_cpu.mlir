// SPDX-License-Identifier: Apache-2.0
// The same for a CPU: see bad_cuda.mlir, bad.c.
func.func @main(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %0 = graph.kernel @KERNEL(%x) {
      language = "c", files = ["bad.c"], entry = "KERNEL",
      dims = [["N"], ["N"]], scalars = ["N"], configs = [{BAD = [1, 0]}],
      grid = "ceildiv(N, 128)", reference = @relu}
    : (tensor<1000xf32>) -> tensor<1000xf32>
  return %0 : tensor<1000xf32>
}
func.func private @relu(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %0 = graph.relu %x : tensor<1000xf32>
  return %0 : tensor<1000xf32>
}
