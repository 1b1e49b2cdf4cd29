// Two heads of 100 queries, causal, for WarpGroupGpuTest. The schedules take 2 x
// 2 blocks of 128 threads and 40960 bytes of shared memory.
plan.kernel @in_turn target "cuda" entries ["in_turn"] {
  ^bb0(%q0: tensor<1x2x100x64xbf16>, %k0: tensor<1x2x100x64xbf16>, %v0: tensor<1x2x100x64xbf16>):
    %0 = kernel.fusion (%q = %q0 : tensor<1x2x100x64xbf16>, %k = %k0 : tensor<1x2x100x64xbf16>, %v = %v0 : tensor<1x2x100x64xbf16>) -> tensor<1x2x100x64xbf16> attributes {impl = #kernel.impl<family = "attention", schedule = {ahead = 0 : i64, cluster = 0 : i64, key_block = 64 : i64, key_warps = 1 : i64, pack = 0 : i64, pdl = 0 : i64, row_tiles = 1 : i64, split = 1 : i64, stages = 2 : i64, warps = 4 : i64, wgmma = 1 : i64}>} {
      %1 = graph.attention %q, %k, %v {causal = #graph.causal<upper_left>} : (tensor<1x2x100x64xbf16>, tensor<1x2x100x64xbf16>, tensor<1x2x100x64xbf16>) -> tensor<1x2x100x64xbf16>
      kernel.yield %1 : tensor<1x2x100x64xbf16>
    }
}

plan.kernel @ahead target "cuda" entries ["ahead"] {
  ^bb0(%q0: tensor<1x2x100x64xbf16>, %k0: tensor<1x2x100x64xbf16>, %v0: tensor<1x2x100x64xbf16>):
    %0 = kernel.fusion (%q = %q0 : tensor<1x2x100x64xbf16>, %k = %k0 : tensor<1x2x100x64xbf16>, %v = %v0 : tensor<1x2x100x64xbf16>) -> tensor<1x2x100x64xbf16> attributes {impl = #kernel.impl<family = "attention", schedule = {ahead = 1 : i64, cluster = 0 : i64, key_block = 64 : i64, key_warps = 1 : i64, pack = 0 : i64, pdl = 0 : i64, row_tiles = 1 : i64, split = 1 : i64, stages = 2 : i64, warps = 4 : i64, wgmma = 1 : i64}>} {
      %1 = graph.attention %q, %k, %v {causal = #graph.causal<upper_left>} : (tensor<1x2x100x64xbf16>, tensor<1x2x100x64xbf16>, tensor<1x2x100x64xbf16>) -> tensor<1x2x100x64xbf16>
      kernel.yield %1 : tensor<1x2x100x64xbf16>
    }
}
