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

// Keys of a cache are asked for before that: what lies in memory since earlier
// steps. The blocks of a cluster send their parts to the first one, and end.
// CHECK-LABEL: .entry cached(
// CHECK: .reqnctapercluster 8, 1, 1
// CHECK-NOT: ld.global
// CHECK: prefetch.global.L2
// CHECK: prefetch.global.L2
// CHECK: griddepcontrol.wait;
// CHECK: barrier.cluster.wait.aligned;
// CHECK: st.shared::cluster
// CHECK: barrier.cluster.arrive.aligned;
// CHECK-NOT: ld.shared::cluster
// CHECK: barrier.cluster.wait.aligned;
// CHECK-NOT: barrier.cluster
plan.kernel @cached target "cuda" entries ["cached"] {
  ^bb0(%q0: tensor<1x12x1x64xbf16>, %k0: tensor<1x12x1024x64xbf16>, %v0: tensor<1x12x1024x64xbf16>, %n0: tensor<i64>):
    %0 = kernel.fusion (%q = %q0 : tensor<1x12x1x64xbf16>, %k = %k0 : tensor<1x12x1024x64xbf16>, %v = %v0 : tensor<1x12x1024x64xbf16>, %n = %n0 : tensor<i64>) -> tensor<1x12x1x64xbf16> attributes {impl = #kernel.impl<family = "attention", schedule = {ahead = 0 : i64, cluster = 1 : i64, key_block = 128 : i64, key_warps = 4 : i64, pack = 0 : i64, pdl = 1 : i64, row_tiles = 1 : i64, split = 8 : i64, stages = 1 : i64, warps = 1 : i64, wgmma = 0 : i64}>} {
      %1 = graph.attention %q, %k, %v key_length %n {} : (tensor<1x12x1x64xbf16>, tensor<1x12x1024x64xbf16>, tensor<1x12x1024x64xbf16>, tensor<i64>) -> tensor<1x12x1x64xbf16>
      kernel.yield %1 : tensor<1x12x1x64xbf16>
    }
}
