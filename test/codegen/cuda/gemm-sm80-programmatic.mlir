// A programmatic launch: constant weights are copied before earlier launches
// have ended, activations after, and later ones may start then. Another operand
// waits too.
//
// RUN: minic-emit-ptx %s --arch=sm_90a > %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=LEAN --implicit-check-not=.local --implicit-check-not='{{[1-9][0-9]* bytes (spilled|of stack)}}'
// RUN: not minic-emit-ptx %s --arch=sm_80 2>&1 | FileCheck %s --check-prefix=OLDER

// LEAN: {{bytes of stack|nothing here assembles PTX}}
// OLDER: error: gemm_sm80 cannot run {{.*}}: pdl=on needs sm_90

// CHECK-LABEL: .entry weights(
// CHECK: cp.async.cg.shared.global
// CHECK: griddepcontrol.wait;
// CHECK: cp.async.cg.shared.global
// CHECK: griddepcontrol.launch_dependents;
// CHECK: mma.sync
plan.kernel @weights target "cuda" entries ["weights"] {
  ^bb0(%x0: tensor<512x1024xbf16>, %w0: tensor<512x1024xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<512x1024xbf16>, %w = %w0 : tensor<512x1024xbf16>) -> tensor<512x512xbf16> attributes {kernel.constants = array<i64: 1>, impl = #kernel.impl<family = "gemm_sm80", schedule = {bm = 128 : i64, bn = 128 : i64, bk = 64 : i64, warps_m = 2 : i64, warps_n = 2 : i64, warps_k = 1 : i64, stages = 3 : i64, split = 1 : i64, group = 8 : i64, math = "mma", lhs = "dense", pdl = "on"}>} {
      %1 = graph.linear %x, %w : (tensor<512x1024xbf16>, tensor<512x1024xbf16>) -> tensor<512x512xbf16>
      %2 = graph.relu %1 : tensor<512x512xbf16>
      kernel.yield %2 : tensor<512x512xbf16>
    }
}

// CHECK-LABEL: .entry activations(
// CHECK-NOT: cp.async
// CHECK: griddepcontrol.wait;
// CHECK: cp.async.cg.shared.global
// CHECK: griddepcontrol.launch_dependents;
// CHECK: mma.sync
plan.kernel @activations target "cuda" entries ["activations"] {
  ^bb0(%x0: tensor<512x1024xbf16>, %w0: tensor<512x1024xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<512x1024xbf16>, %w = %w0 : tensor<512x1024xbf16>) -> tensor<512x512xbf16> attributes {impl = #kernel.impl<family = "gemm_sm80", schedule = {bm = 128 : i64, bn = 128 : i64, bk = 64 : i64, warps_m = 2 : i64, warps_n = 2 : i64, warps_k = 1 : i64, stages = 3 : i64, split = 1 : i64, group = 8 : i64, math = "mma", lhs = "dense", pdl = "on"}>} {
      %1 = graph.linear %x, %w : (tensor<512x1024xbf16>, tensor<512x1024xbf16>) -> tensor<512x512xbf16>
      %2 = graph.relu %1 : tensor<512x512xbf16>
      kernel.yield %2 : tensor<512x512xbf16>
    }
}
