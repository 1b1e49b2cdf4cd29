// SPDX-License-Identifier: Apache-2.0
// An autotuned block and no key: the size is a scalar of the launch.
func.func @main(%x: tensor<50000xf32>) -> tensor<50000xf32> {
  %0 = graph.kernel @sine_of(%x) {
      language = "c", files = ["sin.c"], entry = "sine_of",
      dims = [["N"], ["N"]], scalars = ["N"],
      configs = [{BLOCK = [512, 2048, 8192]}], grid = "ceildiv(N, BLOCK)",
      reference = @sin} : (tensor<50000xf32>) -> tensor<50000xf32>
  return %0 : tensor<50000xf32>
}
func.func private @sin(%x: tensor<50000xf32>) -> tensor<50000xf32> {
  %0 = graph.sin %x : tensor<50000xf32>
  return %0 : tensor<50000xf32>
}
