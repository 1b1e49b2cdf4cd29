// sin of ordinary operands is float32 arithmetic; only a thread with an operand
// beyond 105615 goes through the products with the bits of 2 / pi. Nothing is
// called, and nothing lies in local memory.
//
// RUN: minic-emit-ptx %s --arch=sm_90a > %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx --implicit-check-not=call --implicit-check-not=.local --implicit-check-not=sin.approx

// CHECK-LABEL: .entry sin(
// CHECK-NOT: mul.lo.s64
// CHECK: setp.gt.f32
// CHECK: bra
// CHECK: mul.lo.s64
// CHECK: cvt.rn.f64.s64
plan.kernel @sin target "cuda" entries ["sin"] {
  ^bb0(%x0: tensor<512x1024xf32>):
    %0 = kernel.fusion (%x = %x0 : tensor<512x1024xf32>) -> tensor<512x1024xf32> attributes {impl = #kernel.impl<family = "pointwise", schedule = {threads = 256 : i64, unroll = 1 : i64, vector = 4 : i64}>} {
      %1 = graph.sin %x : tensor<512x1024xf32>
      kernel.yield %1 : tensor<512x1024xf32>
    }
}
