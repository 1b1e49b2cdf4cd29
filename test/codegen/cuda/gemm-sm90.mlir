// The instructions of gemm_sm90 kernels: what copies and multiplies, by the
// schedule that each kernel names. None uses local memory or spills, and the
// assembler finds no reason to wait for one wgmma before the next.
//
// RUN: minic-emit-ptx %s --arch=sm_90a > %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=LEAN --implicit-check-not=.local --implicit-check-not='{{[1-9][0-9]* bytes (spilled|of stack)}}' --implicit-check-not='wgmma serialized'
// RUN: not minic-emit-ptx %s --arch=sm_90 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: not minic-emit-ptx %s --arch=sm_100a 2>&1 | FileCheck %s --check-prefix=PLAIN

// LEAN: {{bytes of stack|nothing here assembles PTX}}
// PLAIN: error: gemm_sm90 cannot run {{.*}}: wgmma needs sm_90a

// A stage's copies have landed for both proxies ahead of the barrier, and later
// ones are issued behind its products. The end of a turn of the loop, where the
// products of the stage before are waited for, comes first in the text. Sums
// pass through the last wait.
// CHECK-LABEL: .entry bf16(
// CHECK: .reqntid 256
// CHECK: cp.async.cg.shared.global {{.*}}, 16;
// CHECK: cp.async.commit_group
// CHECK: wgmma.wait_group.sync.aligned 1;
// CHECK: cp.async.wait_group 2;
// CHECK-NEXT: fence.proxy.async.shared::cta;
// CHECK-NEXT: bar.sync 0;
// CHECK: wgmma.fence.sync.aligned;
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n160k16.f32.bf16.bf16
// CHECK: wgmma.commit_group.sync.aligned;
// CHECK: cp.async.cg.shared.global {{.*}}, 16;
// CHECK: wgmma.wait_group.sync.aligned 0;
// CHECK: cp.async.wait_group 0;
// CHECK-NEXT: bar.sync 0;
plan.kernel @bf16 target "cuda" entries ["bf16"] {
  ^bb0(%x0: tensor<512x1024xbf16>, %w0: tensor<320x1024xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<512x1024xbf16>, %w = %w0 : tensor<320x1024xbf16>) -> tensor<512x320xbf16> attributes {impl = #kernel.impl<family = "gemm_sm90", schedule = {bm = 128 : i64, bn = 160 : i64, stages = 5 : i64}>} {
      %1 = graph.linear %x, %w : (tensor<512x1024xbf16>, tensor<320x1024xbf16>) -> tensor<512x320xbf16>
      %2 = graph.relu %1 : tensor<512x320xbf16>
      kernel.yield %2 : tensor<512x320xbf16>
    }
}

// Rows of lhs that are aligned to 8 bytes only are copied in such pieces, and
// cut at K's end; those of rhs are padded to whole stages.
// CHECK-LABEL: .entry unaligned(
// CHECK: wgmma.mma_async.sync.aligned.m64n160k16.f32.bf16.bf16
// CHECK: cp.async.ca.shared.global {{.*}}, 8, %r
// CHECK: cp.async.cg.shared.global {{.*}}, 16;
plan.kernel @unaligned target "cuda" entries ["unaligned"] {
  ^bb0(%x0: tensor<2048x3420xbf16>, %w0: tensor<1280x3420xbf16, #kernel.layout<order = [0, 1], blocks = [], padded = [1280, 3456]>>):
    %0 = kernel.fusion (%x = %x0 : tensor<2048x3420xbf16>, %w = %w0 : tensor<1280x3420xbf16, #kernel.layout<order = [0, 1], blocks = [], padded = [1280, 3456]>>) -> tensor<2048x1280xbf16> attributes {impl = #kernel.impl<family = "gemm_sm90", schedule = {bm = 128 : i64, bn = 160 : i64, stages = 6 : i64}>} {
      %1 = graph.linear %x, %w : (tensor<2048x3420xbf16>, tensor<1280x3420xbf16>) -> tensor<2048x1280xbf16>
      %2 = graph.relu %1 : tensor<2048x1280xbf16>
      kernel.yield %2 : tensor<2048x1280xbf16>
    }
}

// Two blocks of 64 rows in a warp group, each with sums of its own.
// CHECK-LABEL: .entry blocks(
// CHECK: .reqntid 256
// CHECK: wgmma.fence.sync.aligned;
// CHECK-COUNT-8: wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16
// CHECK-NOT: wgmma.mma_async
plan.kernel @blocks target "cuda" entries ["blocks"] {
  ^bb0(%x0: tensor<512x1024xf16>, %w0: tensor<1024x1024xf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<512x1024xf16>, %w = %w0 : tensor<1024x1024xf16>) -> tensor<512x1024xf16> attributes {impl = #kernel.impl<family = "gemm_sm90", schedule = {bm = 256 : i64, bn = 128 : i64, warpgroups_m = 2 : i64, stages = 4 : i64}>} {
      %1 = graph.linear %x, %w : (tensor<512x1024xf16>, tensor<1024x1024xf16>) -> tensor<512x1024xf16>
      %2 = graph.relu %1 : tensor<512x1024xf16>
      kernel.yield %2 : tensor<512x1024xf16>
    }
}

// Two warp groups share a stage's K: two steps of 16 each.
// CHECK-LABEL: .entry along_k(
// CHECK: .reqntid 256
// CHECK-COUNT-2: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// CHECK-NOT: wgmma.mma_async
plan.kernel @along_k target "cuda" entries ["along_k"] {
  ^bb0(%x0: tensor<256x1024xbf16>, %w0: tensor<1024x1024xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<256x1024xbf16>, %w = %w0 : tensor<1024x1024xbf16>) -> tensor<256x1024xbf16> attributes {impl = #kernel.impl<family = "gemm_sm90", schedule = {bm = 64 : i64, bn = 64 : i64, warpgroups_m = 1 : i64, warpgroups_k = 2 : i64, stages = 8 : i64}>} {
      %1 = graph.linear %x, %w : (tensor<256x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<256x1024xbf16>
      %2 = graph.relu %1 : tensor<256x1024xbf16>
      kernel.yield %2 : tensor<256x1024xbf16>
    }
}

// Sums go to memory; the block that arrives last reads those of all four.
// CHECK-LABEL: .entry split_k(
// CHECK: wgmma.mma_async
// CHECK: st.global.v4.b32
// CHECK: atom{{.*}}.inc.u32 {{.*}}, 3;
// CHECK-COUNT-4: ld.global{{.*}}.v4.b32
plan.kernel @split_k target "cuda" entries ["split_k"] {
  ^bb0(%x0: tensor<64x4096xbf16>, %w0: tensor<64x4096xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<64x4096xbf16>, %w = %w0 : tensor<64x4096xbf16>) -> tensor<64x64xbf16> attributes {impl = #kernel.impl<family = "gemm_sm90", schedule = {bm = 64 : i64, bn = 64 : i64, warpgroups_m = 1 : i64, stages = 6 : i64, split = 4 : i64}>} {
      %1 = graph.linear %x, %w : (tensor<64x4096xbf16>, tensor<64x4096xbf16>) -> tensor<64x64xbf16>
      %2 = graph.relu %1 : tensor<64x64xbf16>
      kernel.yield %2 : tensor<64x64xbf16>
    }
}

// A programmatic launch: constant weights are copied before earlier launches
// have ended, activations after, and later ones may start then.
// CHECK-LABEL: .entry weights(
// CHECK: cp.async.cg.shared.global
// CHECK: griddepcontrol.wait;
// CHECK: cp.async.cg.shared.global
// CHECK: griddepcontrol.launch_dependents;
// CHECK: wgmma.mma_async
plan.kernel @weights target "cuda" entries ["weights"] {
  ^bb0(%x0: tensor<512x1024xbf16>, %w0: tensor<512x1024xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<512x1024xbf16>, %w = %w0 : tensor<512x1024xbf16>) -> tensor<512x512xbf16> attributes {kernel.constants = array<i64: 1>, impl = #kernel.impl<family = "gemm_sm90", schedule = {bm = 128 : i64, bn = 128 : i64, stages = 4 : i64, pdl = "on"}>} {
      %1 = graph.linear %x, %w : (tensor<512x1024xbf16>, tensor<512x1024xbf16>) -> tensor<512x512xbf16>
      %2 = graph.relu %1 : tensor<512x512xbf16>
      kernel.yield %2 : tensor<512x512xbf16>
    }
}

// The most sums that a thread may have.
// CHECK-LABEL: .entry widest(
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
plan.kernel @widest target "cuda" entries ["widest"] {
  ^bb0(%x0: tensor<2048x1096xbf16>, %w0: tensor<4096x1096xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<2048x1096xbf16>, %w = %w0 : tensor<4096x1096xbf16>) -> tensor<2048x4096xbf16> attributes {impl = #kernel.impl<family = "gemm_sm90", schedule = {bm = 128 : i64, bn = 256 : i64, stages = 4 : i64}>} {
      %1 = graph.linear %x, %w : (tensor<2048x1096xbf16>, tensor<4096x1096xbf16>) -> tensor<2048x4096xbf16>
      %2 = graph.relu %1 : tensor<2048x4096xbf16>
      kernel.yield %2 : tensor<2048x4096xbf16>
    }
}

// Four blocks that share a tile meet, send each other sums, and meet again before
// they make results of them. There is no workspace.
// CHECK-LABEL: .entry cluster(
// CHECK-NOT: atom.
// CHECK: barrier.cluster.arrive.aligned;
// CHECK-NEXT: barrier.cluster.wait.aligned;
// CHECK: mapa.shared::cluster
// CHECK: st.shared::cluster.v4
// CHECK-NOT: ld.shared::cluster
// CHECK: barrier.cluster.arrive.aligned;
// CHECK-NEXT: barrier.cluster.wait.aligned;
// CHECK-NOT: ld.shared::cluster
// CHECK: st.global
plan.kernel @cluster target "cuda" entries ["cluster"] {
  ^bb0(%x0: tensor<128x3072xbf16>, %w0: tensor<768x3072xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<128x3072xbf16>, %w = %w0 : tensor<768x3072xbf16>) -> tensor<128x768xbf16> attributes {impl = #kernel.impl<family = "gemm_sm90", schedule = {bm = 64 : i64, bn = 64 : i64, cluster = "on", split = 4 : i64, stages = 8 : i64, warpgroups_m = 1 : i64}>} {
      %1 = graph.linear %x, %w : (tensor<128x3072xbf16>, tensor<768x3072xbf16>) -> tensor<128x768xbf16>
      kernel.yield %1 : tensor<128x768xbf16>
    }
}

// Where warp groups share K, too, blocks read each other's sums, and meet again
// before one of them ends.
// CHECK-LABEL: .entry reads(
// CHECK: barrier.cluster.arrive.aligned;
// CHECK-NEXT: barrier.cluster.wait.aligned;
// CHECK-COUNT-4: mapa.shared::cluster
// CHECK-COUNT-4: ld.shared::cluster.v4
// CHECK: st.global
// CHECK: barrier.cluster.arrive.aligned;
// CHECK-NEXT: barrier.cluster.wait.aligned;
plan.kernel @reads target "cuda" entries ["reads"] {
  ^bb0(%x0: tensor<128x3072xbf16>, %w0: tensor<768x3072xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<128x3072xbf16>, %w = %w0 : tensor<768x3072xbf16>) -> tensor<128x768xbf16> attributes {impl = #kernel.impl<family = "gemm_sm90", schedule = {bm = 64 : i64, bn = 64 : i64, cluster = "on", split = 4 : i64, stages = 8 : i64, warpgroups_k = 2 : i64, warpgroups_m = 1 : i64}>} {
      %1 = graph.linear %x, %w : (tensor<128x3072xbf16>, tensor<768x3072xbf16>) -> tensor<128x768xbf16>
      kernel.yield %1 : tensor<128x768xbf16>
    }
}

// What a result needs beside sums is on its way before the first result is
// stored, and L2 is asked for a constant bias before anything else.
// CHECK-LABEL: .entry epilogue(
// CHECK: prefetch.global.L2
// CHECK: griddepcontrol.wait;
// CHECK: wgmma.mma_async
// CHECK-NOT: st.global
// CHECK-COUNT-5: ld.global.v4.b32
// CHECK-COUNT-4: st.global.v4.b32
// CHECK: ret;
plan.kernel @epilogue target "cuda" entries ["epilogue"] {
  ^bb0(%x0: tensor<512x768xbf16>, %w0: tensor<768x768xbf16>, %b0: tensor<768xbf16>, %r0: tensor<512x768xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<512x768xbf16>, %w = %w0 : tensor<768x768xbf16>, %b = %b0 : tensor<768xbf16>, %r = %r0 : tensor<512x768xbf16>) -> tensor<512x768xbf16> attributes {kernel.constants = array<i64: 1, 2>, impl = #kernel.impl<family = "gemm_sm90", schedule = {bm = 64 : i64, bn = 64 : i64, stages = 4 : i64, warpgroups_m = 1 : i64, pdl = "on"}>} {
      %1 = graph.linear %x, %w, %b : (tensor<512x768xbf16>, tensor<768x768xbf16>, tensor<768xbf16>) -> tensor<512x768xbf16>
      %2 = graph.add %1, %r : tensor<512x768xbf16>
      kernel.yield %2 : tensor<512x768xbf16>
    }
}
