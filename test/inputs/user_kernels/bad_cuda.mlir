// SPDX-License-Identifier: Apache-2.0
// Two configurations of one kernel of bad.cu, which takes the place of KERNEL: with
// BAD = 1 it does something wrong when it runs, with BAD = 0 it is right. Only `shared`
// wants dynamic shared memory: all that a block of an H100 may have, beside its own.
func.func @main(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %0 = graph.kernel @KERNEL(%x) {
      language = "cuda", files = ["bad.cu"], entry = "KERNEL",
      dims = [["N"], ["N"]], scalars = ["N"], configs = [{BAD = [1, 0]}],
      grid = "ceildiv(N, 128)", block = "128", shared = "0", reference = @relu}
    : (tensor<1000xf32>) -> tensor<1000xf32>
  return %0 : tensor<1000xf32>
}
func.func private @relu(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %0 = graph.relu %x : tensor<1000xf32>
  return %0 : tensor<1000xf32>
}
