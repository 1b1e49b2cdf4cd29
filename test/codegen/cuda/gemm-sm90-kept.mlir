// A 1x1 convolution of few channels as a product: blocks stay, and weights stay in
// their shared memory. And a cluster that shares K: sums go to the block that
// finishes them, none are read from others.
//
// REQUIRES: ptxas
// RUN: minic-emit-ptx %s --arch=sm_90a > %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=LEAN --implicit-check-not='{{[1-9][0-9]* bytes (spilled|of stack)}}' --implicit-check-not='wgmma serialized'

// LEAN-DAG: kept: {{[0-9]+}} registers, 0 bytes spilled
// LEAN-DAG: cluster: {{[0-9]+}} registers, 0 bytes spilled

// One copy of rhs for all tiles, ahead of the ring's.
// CHECK-LABEL: .entry kept(
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16
// CHECK-COUNT-3: cp.async.bulk.tensor.2d
// CHECK-NOT: cp.async.bulk.tensor.2d
// CHECK: ret;
plan.kernel @kept target "cuda" entries ["kept"] {
  ^bb0(%x0: tensor<100352x64xbf16>, %w0: tensor<256x64xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<100352x64xbf16>, %w = %w0 : tensor<256x64xbf16>) -> tensor<100352x256xbf16> attributes {impl = #kernel.impl<family = "gemm_sm90", schedule = {copies = "tma", bm = 64 : i64, bn = 256 : i64, pingpong = 132 : i64, rhs = "kept", stages = 8 : i64, warpgroups_m = 1 : i64}>} {
      %1 = graph.linear %x, %w : (tensor<100352x64xbf16>, tensor<256x64xbf16>) -> tensor<100352x256xbf16>
      kernel.yield %1 : tensor<100352x256xbf16>
    }
}

// CHECK-LABEL: .entry cluster(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16
// CHECK: barrier.cluster.arrive
// CHECK: barrier.cluster.wait
// CHECK: st.shared::cluster.v4
// CHECK-NOT: ld.shared::cluster
// CHECK: barrier.cluster.arrive
// CHECK: barrier.cluster.wait
// CHECK-NOT: ld.shared::cluster
// CHECK: st.global.v4
// CHECK: ret;
plan.kernel @cluster target "cuda" entries ["cluster"] {
  ^bb0(%x0: tensor<6272x2304xbf16>, %w0: tensor<256x2304xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<6272x2304xbf16>, %w = %w0 : tensor<256x2304xbf16>) -> tensor<6272x256xbf16> attributes {impl = #kernel.impl<family = "gemm_sm90", schedule = {bm = 192 : i64, bn = 128 : i64, split = 2 : i64, cluster = "on", stages = 5 : i64, warpgroups_m = 3 : i64}>} {
      %1 = graph.linear %x, %w : (tensor<6272x2304xbf16>, tensor<256x2304xbf16>) -> tensor<6272x256xbf16>
      kernel.yield %1 : tensor<6272x256xbf16>
    }
}
