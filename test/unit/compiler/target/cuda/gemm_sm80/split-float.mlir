// The kernel of SplitFloatGpuTest.

plan.kernel @split_float target "cuda" entries ["split_float"] {
  ^bb0(%x0: tensor<64x4096xf32>, %w0: tensor<64x4096xf32>):
    %0 = kernel.fusion (%x = %x0 : tensor<64x4096xf32>, %w = %w0 : tensor<64x4096xf32>) -> tensor<64x64xf32> attributes {impl = #kernel.impl<family = "gemm_sm80", schedule = {bm = 64 : i64, bn = 32 : i64, bk = 32 : i64, warps_m = 2 : i64, warps_n = 1 : i64, warps_k = 2 : i64, stages = 4 : i64, split = 1 : i64, group = 8 : i64, math = "tf32x3", lhs = "dense", pdl = "off"}>} {
      %1 = graph.linear %x, %w : (tensor<64x4096xf32>, tensor<64x4096xf32>) -> tensor<64x64xf32>
      kernel.yield %1 : tensor<64x64xf32>
    }
}
