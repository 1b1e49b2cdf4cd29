// Clusters need sm_90: families say so where a schedule asks for one on an older GPU.
//
// RUN: split-file %s %t
// RUN: not minic-emit-ptx %t/attention.mlir --arch=sm_80 2>&1 | FileCheck %s --check-prefix=ATTENTION
// RUN: not minic-emit-ptx %t/skinny.mlir --arch=sm_80 2>&1 | FileCheck %s --check-prefix=SKINNY
// ATTENTION: error: attention cannot run attention 16x64 warps=1x1 stages=1 cluster=4 on sm_80: clusters need sm_90
// SKINNY: error: gemm_skinny pdl and clusters need sm_90, got sm_80

//--- attention.mlir
plan.kernel @attention target "cuda" entries ["attention"] {
  ^bb0(%q0: tensor<1x12x1x64xbf16>, %k0: tensor<1x12x256x64xbf16>, %v0: tensor<1x12x256x64xbf16>):
    %0 = kernel.fusion (%q = %q0 : tensor<1x12x1x64xbf16>, %k = %k0 : tensor<1x12x256x64xbf16>, %v = %v0 : tensor<1x12x256x64xbf16>) -> tensor<1x12x1x64xbf16> attributes {impl = #kernel.impl<family = "attention", schedule = {ahead = 0 : i64, cluster = 1 : i64, key_block = 64 : i64, key_warps = 1 : i64, pack = 0 : i64, pdl = 0 : i64, row_tiles = 1 : i64, split = 4 : i64, stages = 1 : i64, warps = 1 : i64, wgmma = 0 : i64}>} {
      %1 = graph.attention %q, %k, %v {} : (tensor<1x12x1x64xbf16>, tensor<1x12x256x64xbf16>, tensor<1x12x256x64xbf16>) -> tensor<1x12x1x64xbf16>
      kernel.yield %1 : tensor<1x12x1x64xbf16>
    }
}

//--- skinny.mlir
plan.kernel @skinny target "cuda" entries ["skinny"] {
  ^bb0(%x0: tensor<1x512xbf16>, %w0: tensor<64x512xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<1x512xbf16>, %w = %w0 : tensor<64x512xbf16>) -> tensor<1x64xbf16> attributes {impl = #kernel.impl<family = "gemm_skinny", schedule = {cluster = 1 : i64, columns = 16 : i64, math = "mma", pdl = 0 : i64, split = 2 : i64, stages = 1 : i64, unroll = 2 : i64, warps = 2 : i64}>} {
      %1 = graph.linear %x, %w : (tensor<1x512xbf16>, tensor<64x512xbf16>) -> tensor<1x64xbf16>
      kernel.yield %1 : tensor<1x64xbf16>
    }
}
