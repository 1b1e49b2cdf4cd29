// The kernels of TmaGemmGpuTest.

plan.kernel @small target "cuda" entries ["small"] {
  ^bb0(%x0: tensor<200x328xbf16>, %w0: tensor<104x328xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<200x328xbf16>, %w = %w0 : tensor<104x328xbf16>) -> tensor<200x104xbf16> attributes {impl = #kernel.impl<family = "gemm_sm90", schedule = {copies = "tma", bm = 64 : i64, bn = 64 : i64, stages = 4 : i64, warpgroups_m = 1 : i64}>} {
      %1 = graph.linear %x, %w : (tensor<200x328xbf16>, tensor<104x328xbf16>) -> tensor<200x104xbf16>
      kernel.yield %1 : tensor<200x104xbf16>
    }
}

plan.kernel @ring target "cuda" entries ["ring"] {
  ^bb0(%x0: tensor<200x1000xbf16>, %w0: tensor<104x1000xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<200x1000xbf16>, %w = %w0 : tensor<104x1000xbf16>) -> tensor<200x104xbf16> attributes {impl = #kernel.impl<family = "gemm_sm90", schedule = {copies = "tma", bm = 128 : i64, bn = 96 : i64, stages = 3 : i64}>} {
      %1 = graph.linear %x, %w : (tensor<200x1000xbf16>, tensor<104x1000xbf16>) -> tensor<200x104xbf16>
      kernel.yield %1 : tensor<200x104xbf16>
    }
}

plan.kernel @batched target "cuda" entries ["batched"] {
  ^bb0(%x0: tensor<3x72x200xbf16>, %w0: tensor<3x40x200xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<3x72x200xbf16>, %w = %w0 : tensor<3x40x200xbf16>) -> tensor<3x72x40xbf16> attributes {impl = #kernel.impl<family = "gemm_sm90", schedule = {copies = "tma", bm = 64 : i64, bn = 32 : i64, stages = 4 : i64, warpgroups_m = 1 : i64}>} {
      %1 = graph.matmul %x, %w {transpose_rhs} : (tensor<3x72x200xbf16>, tensor<3x40x200xbf16>) -> tensor<3x72x40xbf16>
      kernel.yield %1 : tensor<3x72x40xbf16>
    }
}

plan.kernel @along_m target "cuda" entries ["along_m"] {
  ^bb0(%x0: tensor<250x1000xbf16>, %w0: tensor<72x1000xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<250x1000xbf16>, %w = %w0 : tensor<72x1000xbf16>) -> tensor<250x72xbf16> attributes {impl = #kernel.impl<family = "gemm_sm90", schedule = {copies = "tma", bm = 64 : i64, bn = 64 : i64, multicast = "2x1", stages = 3 : i64, warpgroups_m = 1 : i64}>} {
      %1 = graph.linear %x, %w : (tensor<250x1000xbf16>, tensor<72x1000xbf16>) -> tensor<250x72xbf16>
      kernel.yield %1 : tensor<250x72xbf16>
    }
}

plan.kernel @along_n target "cuda" entries ["along_n"] {
  ^bb0(%x0: tensor<200x1000xbf16>, %w0: tensor<250x1000xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<200x1000xbf16>, %w = %w0 : tensor<250x1000xbf16>) -> tensor<200x250xbf16> attributes {impl = #kernel.impl<family = "gemm_sm90", schedule = {copies = "tma", bm = 128 : i64, bn = 128 : i64, group = 1 : i64, multicast = "1x2", stages = 3 : i64}>} {
      %1 = graph.linear %x, %w : (tensor<200x1000xbf16>, tensor<250x1000xbf16>) -> tensor<200x250xbf16>
      kernel.yield %1 : tensor<200x250xbf16>
    }
}

plan.kernel @ping_pong target "cuda" entries ["ping_pong"] {
  ^bb0(%x0: tensor<520x328xbf16>, %w0: tensor<392x328xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<520x328xbf16>, %w = %w0 : tensor<392x328xbf16>) -> tensor<520x392xbf16> attributes {impl = #kernel.impl<family = "gemm_sm90", schedule = {copies = "tma", bm = 128 : i64, bn = 64 : i64, pingpong = 6 : i64, stages = 4 : i64, warpgroups_m = 1 : i64}>} {
      %1 = graph.linear %x, %w : (tensor<520x328xbf16>, tensor<392x328xbf16>) -> tensor<520x392xbf16>
      kernel.yield %1 : tensor<520x392xbf16>
    }
}

plan.kernel @registers target "cuda" entries ["registers"] {
  ^bb0(%x0: tensor<520x328xbf16>, %w0: tensor<392x328xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<520x328xbf16>, %w = %w0 : tensor<392x328xbf16>) -> tensor<520x392xbf16> attributes {impl = #kernel.impl<family = "gemm_sm90", schedule = {copies = "tma", bm = 128 : i64, bn = 192 : i64, pingpong = 2 : i64, registers = 240 : i64, stages = 4 : i64, warpgroups_m = 1 : i64}>} {
      %1 = graph.linear %x, %w : (tensor<520x328xbf16>, tensor<392x328xbf16>) -> tensor<520x392xbf16>
      kernel.yield %1 : tensor<520x392xbf16>
    }
}
