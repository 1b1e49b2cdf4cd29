// A row that is kept in registers is read once, sixteen bytes at a time, and
// its warps meet at one barrier per pass. A row that is read again needs no
// more registers for more columns.
//
// RUN: minic-emit-ptx %s --arch=sm_90a | FileCheck %s --implicit-check-not=call --implicit-check-not=.local

// CHECK-LABEL: .entry softmax(
// CHECK: griddepcontrol.launch_dependents
// CHECK: griddepcontrol.wait
// CHECK-COUNT-2: ld.global.v4.b32
// CHECK-NOT: ld.global
// CHECK: max.NaN.f32
// CHECK-COUNT-5: shfl.sync.bfly
// CHECK: bar.sync
// CHECK: ex2.approx
// CHECK-COUNT-5: shfl.sync.bfly
// CHECK: bar.sync
// CHECK-COUNT-2: st.global.v4.b32
// CHECK: ret
plan.kernel @softmax target "cuda" entries ["softmax"] {
  ^bb0(%x0: tensor<8192x4096xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<8192x4096xbf16>) -> tensor<8192x4096xbf16> attributes {impl = #kernel.impl<family = "rows", schedule = {cluster = 0 : i64, keep = 1 : i64, pdl = 1 : i64, rows = 1 : i64, split = 1 : i64, threads = 256 : i64, unroll = 2 : i64, vector = 8 : i64}>} {
      %1 = graph.softmax %x axis = 1 : tensor<8192x4096xbf16>
      kernel.yield %1 : tensor<8192x4096xbf16>
    }
}

// CHECK-LABEL: .entry again(
// CHECK-NOT: griddepcontrol
// CHECK: ld.global.b16
// CHECK: bar.sync
// CHECK: ld.global.b16
// CHECK: bar.sync
// CHECK: ld.global.b16
// CHECK: st.global.b16
// CHECK: ret
plan.kernel @again target "cuda" entries ["again"] {
  ^bb0(%x0: tensor<512x50257xf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<512x50257xf16>) -> tensor<512x50257xf16> attributes {impl = #kernel.impl<family = "rows", schedule = {cluster = 0 : i64, keep = 0 : i64, pdl = 0 : i64, rows = 1 : i64, split = 1 : i64, threads = 512 : i64, unroll = 8 : i64, vector = 1 : i64}>} {
      %1 = graph.softmax %x axis = 1 : tensor<512x50257xf16>
      kernel.yield %1 : tensor<512x50257xf16>
    }
}

// Four rows of a warp each: no shared memory, no barrier, one store per row.
// CHECK-LABEL: .entry sums(
// CHECK-COUNT-4: ld.global.v4.b32
// CHECK-COUNT-5: shfl.sync.bfly
// CHECK-NOT: bar.sync
// CHECK: st.global.b16
// CHECK-NOT: st.global
// CHECK: ret
plan.kernel @sums target "cuda" entries ["sums"] {
  ^bb0(%x0: tensor<8192x1024xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<8192x1024xbf16>) -> tensor<8192xbf16> attributes {impl = #kernel.impl<family = "rows", schedule = {cluster = 0 : i64, keep = 1 : i64, pdl = 0 : i64, rows = 4 : i64, split = 1 : i64, threads = 32 : i64, unroll = 4 : i64, vector = 8 : i64}>} {
      %1 = graph.reduce sum, %x [1] : tensor<8192x1024xbf16> -> tensor<8192xbf16>
      kernel.yield %1 : tensor<8192xbf16>
    }
}

// Blocks that share a row leave their states in the workspace; the last one to
// arrive merges them. No float atomics: the order is fixed.
// CHECK-LABEL: .entry whole(
// CHECK-COUNT-2: ld.global.v4.b32
// CHECK: st.global.b32
// CHECK: fence.acq_rel.gpu
// CHECK: atom.{{.*}}inc.u32
// CHECK: bar.sync
// CHECK-COUNT-5: shfl.sync.bfly
// CHECK: ret
plan.kernel @whole target "cuda" entries ["whole"] {
  ^bb0(%x0: tensor<4194304xf32>):
    %0 = kernel.fusion (%x = %x0 : tensor<4194304xf32>) -> tensor<f32> attributes {impl = #kernel.impl<family = "rows", schedule = {cluster = 0 : i64, keep = 1 : i64, pdl = 0 : i64, rows = 1 : i64, split = 1024 : i64, threads = 512 : i64, unroll = 2 : i64, vector = 4 : i64}>} {
      %1 = graph.reduce sum, %x [0] : tensor<4194304xf32> -> tensor<f32>
      kernel.yield %1 : tensor<f32>
    }
}

// A pass over the rows is a launch. Each begins with what earlier ones left.
// CHECK-LABEL: .entry greatest(
// CHECK: griddepcontrol.wait
// CHECK: ld.global.v4.b32
// CHECK: max.NaN.f32
// CHECK: st.global.b32
// CHECK-NOT: atom
// CHECK: ret
// CHECK-LABEL: .entry sum(
// CHECK: griddepcontrol.wait
// CHECK: ld.global.v4.b32
// CHECK: ld.global.b32
// CHECK: max.NaN.f32
// CHECK: ex2.approx
// CHECK: st.global.b32
// CHECK: ret
// CHECK-LABEL: .entry quotients(
// CHECK: griddepcontrol.wait
// CHECK: ld.global.v4.b32
// CHECK: ex2.approx
// CHECK: st.global.v4.b32
// CHECK: ret
plan.kernel @launches target "cuda" entries ["greatest", "sum", "quotients"] {
  ^bb0(%x0: tensor<2x1048576xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<2x1048576xbf16>) -> tensor<2x1048576xbf16> attributes {impl = #kernel.impl<family = "rows", schedule = {cluster = 0 : i64, keep = 1 : i64, pdl = 1 : i64, rows = 1 : i64, split = 128 : i64, threads = 512 : i64, unroll = 2 : i64, vector = 8 : i64}>} {
      %1 = graph.softmax %x axis = 1 : tensor<2x1048576xbf16>
      kernel.yield %1 : tensor<2x1048576xbf16>
    }
}

// Blocks of a cluster read the row once and exchange states in shared memory.
// CHECK-LABEL: .entry cluster(
// CHECK: .reqnctapercluster 8
// CHECK: barrier.cluster.arrive.relaxed
// CHECK-COUNT-4: ld.global.v4.b32
// CHECK-NOT: ld.global
// CHECK: barrier.cluster.wait
// CHECK: mapa.shared::cluster
// CHECK: st.shared::cluster.b32
// CHECK: barrier.cluster.arrive
// CHECK: barrier.cluster.wait
// CHECK: ex2.approx
// CHECK: mapa.shared::cluster
// CHECK: barrier.cluster.wait
// CHECK-COUNT-4: st.global.v4.b32
// CHECK: ret
plan.kernel @cluster target "cuda" entries ["cluster"] {
  ^bb0(%x0: tensor<4x262144xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<4x262144xbf16>) -> tensor<4x262144xbf16> attributes {impl = #kernel.impl<family = "rows", schedule = {cluster = 1 : i64, keep = 1 : i64, pdl = 1 : i64, rows = 1 : i64, split = 8 : i64, threads = 1024 : i64, unroll = 4 : i64, vector = 8 : i64}>} {
      %1 = graph.softmax %x axis = 1 : tensor<4x262144xbf16>
      kernel.yield %1 : tensor<4x262144xbf16>
    }
}

// Nothing of any kernel is spilled.
// CHECK-NOT: {{[1-9][0-9]* bytes spilled}}
