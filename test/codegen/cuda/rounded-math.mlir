// Where results have 16 bits, gelu and silu take the GPU's power of two as it is:
// by one instruction, which flushes what is no normal number, and with a quotient
// that is approximate, too. 1 / sqrt(2) and 1/2 are in gelu's coefficients, and its
// power is taken from max(x, 0) by one product.
//
// RUN: minic-emit-ptx %s --arch=sm_90a > %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx --implicit-check-not=ex2.approx.f32 --implicit-check-not=div.rn --implicit-check-not=div.full

// CHECK-LABEL: .entry gelu(
// CHECK-NOT: mul.rn
// CHECK-COUNT-10: fma.rn.f32
// CHECK-NOT: fma.
// CHECK-COUNT-2: ex2.approx.ftz.f32
// CHECK-NOT: {{mul.rn|sub|selp}}
// CHECK-COUNT-2: fma.rn.f32
// CHECK: cvt.rn.bf16x2.f32
plan.kernel @gelu target "cuda" entries ["gelu"] {
  ^bb0(%x0: tensor<512x1024xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<512x1024xbf16>) -> tensor<512x1024xbf16> attributes {impl = #kernel.impl<family = "pointwise", schedule = {threads = 256 : i64, unroll = 1 : i64, vector = 2 : i64}>} {
      %1 = graph.gelu %x : tensor<512x1024xbf16>
      kernel.yield %1 : tensor<512x1024xbf16>
    }
}

// CHECK-LABEL: .entry silu(
// CHECK-COUNT-2: ex2.approx.ftz.f32
// CHECK-COUNT-2: rcp.approx
// CHECK: cvt.rn.f16x2.f32
plan.kernel @silu target "cuda" entries ["silu"] {
  ^bb0(%x0: tensor<512x1024xf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<512x1024xf16>) -> tensor<512x1024xf16> attributes {impl = #kernel.impl<family = "pointwise", schedule = {threads = 256 : i64, unroll = 1 : i64, vector = 2 : i64}>} {
      %1 = graph.silu %x : tensor<512x1024xf16>
      kernel.yield %1 : tensor<512x1024xf16>
    }
}
