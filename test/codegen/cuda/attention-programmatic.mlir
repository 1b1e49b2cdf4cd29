// A programmatic launch reads nothing before earlier launches have ended; later
// ones may start once its first copies are under way.
//
// RUN: minic-emit-ptx %s --arch=sm_90a | FileCheck %s
// RUN: not minic-emit-ptx %s --arch=sm_80 2>&1 | FileCheck %s --check-prefix=OLDER

// OLDER: error: {{.*}}programmatic launches need sm_90, got sm_80

// CHECK-LABEL: .entry early(
// CHECK-NOT: cp.async
// CHECK: griddepcontrol.wait;
// CHECK: cp.async.cg.shared.global
// CHECK: griddepcontrol.launch_dependents;
// CHECK: mma.sync
plan.kernel @early target "cuda" entries ["early"] {
  ^bb0(%q0: tensor<8x16x512x64xbf16>, %k0: tensor<8x16x512x64xbf16>, %v0: tensor<8x16x512x64xbf16>):
    %0 = kernel.fusion (%q = %q0 : tensor<8x16x512x64xbf16>, %k = %k0 : tensor<8x16x512x64xbf16>, %v = %v0 : tensor<8x16x512x64xbf16>) -> tensor<8x16x512x64xbf16> attributes {impl = #kernel.impl<family = "attention", schedule = {ahead = 0 : i64, cluster = 0 : i64, key_block = 64 : i64, key_warps = 1 : i64, pack = 0 : i64, pdl = 1 : i64, row_tiles = 1 : i64, split = 1 : i64, stages = 2 : i64, warps = 4 : i64, wgmma = 0 : i64}>} {
      %1 = graph.attention %q, %k, %v {} : (tensor<8x16x512x64xbf16>, tensor<8x16x512x64xbf16>, tensor<8x16x512x64xbf16>) -> tensor<8x16x512x64xbf16>
      kernel.yield %1 : tensor<8x16x512x64xbf16>
    }
}
