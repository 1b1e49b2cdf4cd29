// When the next launch may begin: at once, or once earlier ones are complete.
//
// RUN: minic-emit-ptx %s --arch=sm_90a | FileCheck %s

// CHECK-LABEL: .entry early(
// CHECK: griddepcontrol.launch_dependents;
// CHECK: cp.async.cg.shared.global
// CHECK: griddepcontrol.wait;
// CHECK-NOT: griddepcontrol
// CHECK: mma.sync
plan.kernel @early target "cuda" entries ["early"] {
  ^bb0(%x0: tensor<1x768xbf16>, %w0: tensor<768x768xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<1x768xbf16>, %w = %w0 : tensor<768x768xbf16>) -> tensor<1x768xbf16> attributes {kernel.constants = array<i64: 1>, impl = #kernel.impl<family = "gemm_skinny", schedule = {cluster = 0 : i64, columns = 16 : i64, math = "mma", pdl = 1 : i64, split = 1 : i64, stages = 1 : i64, unroll = 3 : i64, warps = 8 : i64}>} {
      %1 = graph.linear %x, %w : (tensor<1x768xbf16>, tensor<768x768xbf16>) -> tensor<1x768xbf16>
      kernel.yield %1 : tensor<1x768xbf16>
    }
}

// CHECK-LABEL: .entry late(
// CHECK-NOT: launch_dependents
// CHECK: cp.async.cg.shared.global
// CHECK: griddepcontrol.wait;
// CHECK: griddepcontrol.launch_dependents;
// CHECK: mma.sync
plan.kernel @late target "cuda" entries ["late"] {
  ^bb0(%x0: tensor<1x768xbf16>, %w0: tensor<768x768xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<1x768xbf16>, %w = %w0 : tensor<768x768xbf16>) -> tensor<1x768xbf16> attributes {kernel.constants = array<i64: 1>, impl = #kernel.impl<family = "gemm_skinny", schedule = {cluster = 0 : i64, columns = 16 : i64, math = "mma", pdl = 2 : i64, split = 1 : i64, stages = 1 : i64, unroll = 3 : i64, warps = 8 : i64}>} {
      %1 = graph.linear %x, %w : (tensor<1x768xbf16>, tensor<768x768xbf16>) -> tensor<1x768xbf16>
      kernel.yield %1 : tensor<1x768xbf16>
    }
}
