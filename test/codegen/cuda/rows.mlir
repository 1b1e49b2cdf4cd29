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
    %0 = kernel.fusion (%x = %x0 : tensor<8192x4096xbf16>) -> tensor<8192x4096xbf16> attributes {impl = #kernel.impl<family = "rows", schedule = {keep = 1 : i64, pdl = 1 : i64, rows = 1 : i64, threads = 256 : i64, unroll = 2 : i64, vector = 8 : i64}>} {
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
    %0 = kernel.fusion (%x = %x0 : tensor<512x50257xf16>) -> tensor<512x50257xf16> attributes {impl = #kernel.impl<family = "rows", schedule = {keep = 0 : i64, pdl = 0 : i64, rows = 1 : i64, threads = 512 : i64, unroll = 8 : i64, vector = 1 : i64}>} {
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
    %0 = kernel.fusion (%x = %x0 : tensor<8192x1024xbf16>) -> tensor<8192xbf16> attributes {impl = #kernel.impl<family = "rows", schedule = {keep = 1 : i64, pdl = 0 : i64, rows = 4 : i64, threads = 32 : i64, unroll = 4 : i64, vector = 8 : i64}>} {
      %1 = graph.reduce sum, %x [1] : tensor<8192x1024xbf16> -> tensor<8192xbf16>
      kernel.yield %1 : tensor<8192xbf16>
    }
}
