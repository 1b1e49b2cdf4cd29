// SPDX-License-Identifier: Apache-2.0
// The Triton kernel softmax, made by tools/capture/triton_kernel.py: triton.test says how.
func.func @main(%x: tensor<512x1000xf32>) -> (tensor<512x1000xf32>) {
  %0 = graph.kernel @softmax(%x) {
      language = "ptx",
      entry = "softmax",
      files = ["softmax_0.ptx", "softmax_1.ptx", "softmax_2.ptx", "softmax_3.ptx", "softmax_4.ptx"],
      dims = [["M", "N"], ["M", "N"]],
      configs = [{ROWS = 1, num_stages = 3, shared_bytes = 0, threads = 32}, {ROWS = 1, num_stages = 3, shared_bytes = 16, threads = 128}, {ROWS = 2, num_stages = 3, shared_bytes = 32, threads = 128}, {ROWS = 4, num_stages = 3, shared_bytes = 64, threads = 128}, {ROWS = 4, num_stages = 3, shared_bytes = 128, threads = 256}],
      grid = "ceildiv(M, ROWS)",
      block = "threads",
      shared = "shared_bytes",
      features = ["sm_90a"],
      key = ["N"],
      where = ["N <= 1024"],
      scalars = ["M", "N", "0", "0"],
      reference = @reference}
    : (tensor<512x1000xf32>) -> (tensor<512x1000xf32>)
  return %0 : tensor<512x1000xf32>
}
func.func private @reference(%x: tensor<512x1000xf32>) -> tensor<512x1000xf32> {
  %0 = graph.softmax %x axis = 1 : tensor<512x1000xf32>
  return %0 : tensor<512x1000xf32>
}
