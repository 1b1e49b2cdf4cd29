// Group norms of NHWC images read whole pixels, 16 bytes a thread, in two
// launches. The first lets the second begin when all that was launched before
// it is done, so that the second may load its pixels, and what it scales them
// by, before it waits for the first. Nothing is called, spilled or put into
// local memory, and sums are no atomics.
//
// RUN: minic-emit-ptx %s --arch=sm_90a > %t.90.ptx
// RUN: FileCheck %s --input-file=%t.90.ptx --implicit-check-not=call --implicit-check-not=.local --implicit-check-not=atom
// RUN: FileCheck %s --input-file=%t.90.ptx --check-prefix=LEAN --implicit-check-not='{{[1-9][0-9]* bytes (spilled|of stack)}}'

// LEAN: {{bytes of stack|nothing here assembles PTX}}

// CHECK-LABEL: .entry statistics(
// CHECK: .reqntid 320
// CHECK: griddepcontrol.wait
// CHECK: griddepcontrol.launch_dependents
// CHECK-COUNT-4: ld.global.v4.b32
// CHECK-NOT: ld.global
// CHECK-COUNT-4: st.shared.v4
// CHECK: bar.sync
// CHECK: shfl.sync.bfly
// CHECK: st.global.v2
// CHECK-NOT: st.global
// CHECK: ret
// CHECK-LABEL: .entry results(
// CHECK: griddepcontrol.launch_dependents
// CHECK-COUNT-6: ld.global.v4.b32
// CHECK-NOT: ld.global
// CHECK: griddepcontrol.wait
// CHECK-COUNT-16: ld.global.v2
// CHECK: shfl.sync.bfly
// CHECK: rsqrt.approx
// CHECK: bar.sync
// CHECK-NOT: ld.global
// CHECK-COUNT-4: st.global.v4.b32
// CHECK-NOT: st.global
// CHECK: ret
plan.kernel @kept target "cuda" entries ["statistics", "results"] {
  ^bb0(%x0: tensor<1x64x64x320xbf16>, %w0: tensor<320xbf16>, %b0: tensor<320xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<1x64x64x320xbf16>, %w = %w0 : tensor<320xbf16>, %b = %b0 : tensor<320xbf16>) -> tensor<1x64x64x320xbf16> attributes {impl = #kernel.impl<family = "group_norm", schedule = {blocks = 128 : i64, pdl = 1 : i64, pixels = 8 : i64, unroll = 4 : i64}>} {
      %1 = graph.transpose %x [0, 3, 1, 2] : tensor<1x64x64x320xbf16> -> tensor<1x320x64x64xbf16>
      %2 = graph.group_norm %1 scale %w bias %b groups = 32 : (tensor<1x320x64x64xbf16>, tensor<320xbf16>, tensor<320xbf16>) -> tensor<1x320x64x64xbf16>
      %3 = graph.transpose %2 [0, 2, 3, 1] : tensor<1x320x64x64xbf16> -> tensor<1x64x64x320xbf16>
      %4 = graph.silu %3 : tensor<1x64x64x320xbf16>
      kernel.yield %4 : tensor<1x64x64x320xbf16>
    }
}

// More pixels than registers hold are read in a loop, and in the second launch
// once more.
// CHECK-LABEL: .entry statistics_again(
// CHECK-NOT: griddepcontrol
// CHECK: [[LOOP:\$L[_A-Z0-9]+]]:
// CHECK-COUNT-8: ld.global.v4.b32
// CHECK: bra{{.*}} [[LOOP]];
// CHECK: bar.sync
// CHECK: st.global.v2
// CHECK: ret
// CHECK-LABEL: .entry results_again(
// CHECK-NOT: griddepcontrol
// CHECK: bar.sync
// CHECK: [[LOOP:\$L[_A-Z0-9]+]]:
// CHECK-COUNT-8: ld.global.v4.b32
// CHECK-COUNT-8: st.global.v4.b32
// CHECK: bra{{.*}} [[LOOP]];
// CHECK: ret
plan.kernel @again target "cuda" entries ["statistics_again", "results_again"] {
  ^bb0(%x0: tensor<8x128x128x320xf32>):
    %0 = kernel.fusion (%x = %x0 : tensor<8x128x128x320xf32>) -> tensor<8x128x128x320xf32> attributes {impl = #kernel.impl<family = "group_norm", schedule = {blocks = 64 : i64, pdl = 0 : i64, pixels = 4 : i64, unroll = 8 : i64}>} {
      %1 = graph.transpose %x [0, 3, 1, 2] : tensor<8x128x128x320xf32> -> tensor<8x320x128x128xf32>
      %2 = graph.group_norm %1 groups = 32 : (tensor<8x320x128x128xf32>) -> tensor<8x320x128x128xf32>
      %3 = graph.transpose %2 [0, 2, 3, 1] : tensor<8x320x128x128xf32> -> tensor<8x128x128x320xf32>
      kernel.yield %3 : tensor<8x128x128x320xf32>
    }
}

// Of planes a thread reads 16 bytes of two channels at a time and stores words of
// both, before it reads whole pixels from shared memory: in the second launch ahead
// of the wait as well.
// CHECK-LABEL: .entry statistics_planes(
// CHECK: griddepcontrol.wait
// CHECK-COUNT-4: ld.global.v4.b32
// CHECK-NOT: ld.global
// CHECK-COUNT-16: st.shared.{{b32|v2.b16}}
// CHECK: bar.sync
// CHECK-COUNT-4: ld.shared.v4
// CHECK: st.global.v2
// CHECK: ret
// CHECK-LABEL: .entry results_planes(
// CHECK: griddepcontrol.launch_dependents
// CHECK-COUNT-6: ld.global.v4.b32
// CHECK-COUNT-16: st.shared.{{b32|v2.b16}}
// CHECK: bar.sync
// CHECK-COUNT-4: ld.shared.v4
// CHECK: griddepcontrol.wait
// CHECK-COUNT-4: st.global.v4.b32
// CHECK-NOT: st.global
// CHECK: ret
plan.kernel @planes target "cuda" entries ["statistics_planes", "results_planes"] {
  ^bb0(%x0: tensor<1x320x64x64xbf16>, %w0: tensor<320xbf16>, %b0: tensor<320xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<1x320x64x64xbf16>, %w = %w0 : tensor<320xbf16>, %b = %b0 : tensor<320xbf16>) -> tensor<1x64x64x320xbf16> attributes {impl = #kernel.impl<family = "group_norm", schedule = {blocks = 128 : i64, pdl = 1 : i64, pixels = 8 : i64, unroll = 4 : i64}>} {
      %1 = graph.group_norm %x scale %w bias %b groups = 32 : (tensor<1x320x64x64xbf16>, tensor<320xbf16>, tensor<320xbf16>) -> tensor<1x320x64x64xbf16>
      %2 = graph.transpose %1 [0, 2, 3, 1] : tensor<1x320x64x64xbf16> -> tensor<1x64x64x320xbf16>
      %3 = graph.silu %2 : tensor<1x64x64x320xbf16>
      kernel.yield %3 : tensor<1x64x64x320xbf16>
    }
}
