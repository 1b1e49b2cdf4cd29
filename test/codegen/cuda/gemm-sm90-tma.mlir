// The instructions of gemm_sm90 kernels whose stages are copied by TMA, by the
// schedule that each kernel names. None uses local memory or spills, and the
// assembler finds no reason to wait for one wgmma before the next.
//
// RUN: minic-emit-ptx %s --arch=sm_90a > %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=LEAN --implicit-check-not=.local --implicit-check-not='{{[1-9][0-9]* bytes (spilled|of stack)}}' --implicit-check-not='wgmma serialized'

// LEAN: {{bytes of stack|nothing here assembles PTX}}

// Two tensor maps follow the pointers. One thread makes the barriers, all see
// them; then one of the last warp fills the ring, 20480 bytes a stage.
// CHECK-LABEL: .entry tma(
// CHECK: .param .align 64 .b8 tma_param_3[128],
// CHECK-NEXT: .param .align 64 .b8 tma_param_4[128]
// CHECK: .reqntid 160
// CHECK-COUNT-16: mbarrier.init.shared{{.*}}.b64
// CHECK: fence.mbarrier_init.release.cluster;
// CHECK: bar.sync 0;
// CHECK-DAG: elect.sync
// CHECK-DAG: mov.b32 [[BYTES:%r[0-9]+]], 20480;
// CHECK-DAG: mbarrier.arrive.expect_tx.shared.b64 %{{rd[0-9]+}}, [%{{rd[0-9]+}}], [[BYTES]];
// CHECK-DAG: cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes
// CHECK-DAG: mbarrier.try_wait.parity
// CHECK-DAG: wgmma.mma_async.sync.aligned.m64n96k16.f32.bf16.bf16
// CHECK-DAG: mbarrier.arrive{{.*}}.b64
// CHECK-DAG: wgmma.wait_group.sync.aligned 0;
// CHECK-NOT: cp.async.cg
// CHECK: ret;
plan.kernel @tma target "cuda" entries ["tma"] {
  ^bb0(%x0: tensor<512x768xbf16>, %w0: tensor<2304x768xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<512x768xbf16>, %w = %w0 : tensor<2304x768xbf16>) -> tensor<512x2304xbf16> attributes {impl = #kernel.impl<family = "gemm_sm90", schedule = {bm = 64 : i64, bn = 96 : i64, copies = "tma", stages = 8 : i64, warpgroups_m = 1 : i64}>} {
      %1 = graph.linear %x, %w : (tensor<512x768xbf16>, tensor<2304x768xbf16>) -> tensor<512x2304xbf16>
      %2 = graph.relu %1 : tensor<512x2304xbf16>
      kernel.yield %2 : tensor<512x2304xbf16>
    }
}

// The widest tile: two warp groups and the warp that copies.
// CHECK-LABEL: .entry widest(
// CHECK: .reqntid 288
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
plan.kernel @widest target "cuda" entries ["widest"] {
  ^bb0(%x0: tensor<2048x1096xbf16>, %w0: tensor<4096x1096xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<2048x1096xbf16>, %w = %w0 : tensor<4096x1096xbf16>) -> tensor<2048x4096xbf16> attributes {impl = #kernel.impl<family = "gemm_sm90", schedule = {bm = 128 : i64, bn = 256 : i64, copies = "tma", stages = 4 : i64}>} {
      %1 = graph.linear %x, %w : (tensor<2048x1096xbf16>, tensor<4096x1096xbf16>) -> tensor<2048x4096xbf16>
      %2 = graph.relu %1 : tensor<2048x4096xbf16>
      kernel.yield %2 : tensor<2048x4096xbf16>
    }
}

// A batch is a third dimension.
// CHECK-LABEL: .entry batched(
// CHECK: cp.async.bulk.tensor.3d.shared::cta.global.tile.mbarrier::complete_tx::bytes
plan.kernel @batched target "cuda" entries ["batched"] {
  ^bb0(%x0: tensor<12x128x64xf16>, %w0: tensor<12x128x64xf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<12x128x64xf16>, %w = %w0 : tensor<12x128x64xf16>) -> tensor<12x128x128xf16> attributes {impl = #kernel.impl<family = "gemm_sm90", schedule = {bm = 64 : i64, bn = 64 : i64, copies = "tma", stages = 4 : i64, warpgroups_m = 1 : i64}>} {
      %1 = graph.matmul %x, %w {transpose_rhs} : (tensor<12x128x64xf16>, tensor<12x128x64xf16>) -> tensor<12x128x128xf16>
      kernel.yield %1 : tensor<12x128x128xf16>
    }
}

// A programmatic launch: constant weights are asked for before earlier launches
// have ended, activations after, and later ones may start then.
// CHECK-LABEL: .entry weights(
// CHECK: cp.async.bulk.tensor.2d
// CHECK: griddepcontrol.wait;
// CHECK: cp.async.bulk.tensor.2d
// CHECK: griddepcontrol.launch_dependents;
plan.kernel @weights target "cuda" entries ["weights"] {
  ^bb0(%x0: tensor<512x1024xbf16>, %w0: tensor<512x1024xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<512x1024xbf16>, %w = %w0 : tensor<512x1024xbf16>) -> tensor<512x512xbf16> attributes {kernel.constants = array<i64: 1>, impl = #kernel.impl<family = "gemm_sm90", schedule = {bm = 128 : i64, bn = 128 : i64, copies = "tma", stages = 4 : i64, pdl = "on"}>} {
      %1 = graph.linear %x, %w : (tensor<512x1024xbf16>, tensor<512x1024xbf16>) -> tensor<512x512xbf16>
      %2 = graph.relu %1 : tensor<512x512xbf16>
      kernel.yield %2 : tensor<512x512xbf16>
    }
}

// Two blocks of a cluster, which are neighbours along M, each copy half of rhs
// for both, and say to both that a stage is empty. They meet before the first
// copy and before one ends.
// CHECK-LABEL: .entry multicast(
// CHECK: .reqnctapercluster 2
// CHECK: barrier.cluster.arrive.aligned;
// CHECK-NEXT: barrier.cluster.wait.aligned;
// CHECK-DAG: cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes
// CHECK-DAG: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster
// CHECK-DAG: mapa.shared::cluster
// CHECK-DAG: mbarrier.arrive{{.*}}shared::cluster.b64
// CHECK: barrier.cluster.arrive.aligned;
// CHECK: barrier.cluster.wait.aligned;
plan.kernel @multicast target "cuda" entries ["multicast"] {
  ^bb0(%x0: tensor<4096x768xbf16>, %w0: tensor<3072x768xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<4096x768xbf16>, %w = %w0 : tensor<3072x768xbf16>) -> tensor<4096x3072xbf16> attributes {impl = #kernel.impl<family = "gemm_sm90", schedule = {bm = 128 : i64, bn = 256 : i64, copies = "tma", multicast = "2x1", stages = 4 : i64}>} {
      %1 = graph.linear %x, %w : (tensor<4096x768xbf16>, tensor<3072x768xbf16>) -> tensor<4096x3072xbf16>
      kernel.yield %1 : tensor<4096x3072xbf16>
    }
}

// Blocks that stay: two warp groups multiply tiles in turn, and a warp copies for
// both. They meet once, when barriers are ready.
// CHECK-LABEL: .entry ping_pong(
// CHECK: .reqntid 288
// CHECK: bar.sync
// CHECK-NOT: bar.sync
// CHECK: ret;
plan.kernel @ping_pong target "cuda" entries ["ping_pong"] {
  ^bb0(%x0: tensor<4096x768xbf16>, %w0: tensor<3072x768xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<4096x768xbf16>, %w = %w0 : tensor<3072x768xbf16>) -> tensor<4096x3072xbf16> attributes {impl = #kernel.impl<family = "gemm_sm90", schedule = {bm = 128 : i64, bn = 128 : i64, copies = "tma", pingpong = 132 : i64, stages = 5 : i64, warpgroups_m = 1 : i64}>} {
      %1 = graph.linear %x, %w : (tensor<4096x768xbf16>, tensor<3072x768xbf16>) -> tensor<4096x3072xbf16>
      kernel.yield %1 : tensor<4096x3072xbf16>
    }
}
