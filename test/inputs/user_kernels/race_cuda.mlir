// SPDX-License-Identifier: Apache-2.0
// 64 blocks count to 1000 each, in one element: see bad.cu.
func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
  %0 = graph.kernel @race(%x) {
      language = "cuda", files = ["bad.cu"], entry = "race",
      configs = [{BAD = [1, 0]}], grid = "64", block = "1",
      initial = [0.0 : f32], reference = @count}
    : (tensor<1xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}
func.func private @count(%x: tensor<1xf32>) -> tensor<1xf32> {
  %zero = graph.constant dense<0.0> : tensor<1xf32>
  %all = graph.constant dense<6.4e4> : tensor<1xf32>
  %0 = graph.mul %x, %zero : tensor<1xf32>
  %1 = graph.add %0, %all : tensor<1xf32>
  return %1 : tensor<1xf32>
}
