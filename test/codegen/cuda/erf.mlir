// erf is two polynomials and the GPU's own power of two: nothing is divided, and
// per element one select chooses between the two.
//
// RUN: minic-emit-ptx %s --arch=sm_90a > %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx --implicit-check-not=div. --implicit-check-not=selp
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=POWER --implicit-check-not=ex2.

// CHECK-LABEL: .entry erf(
// CHECK-COUNT-4: selp.f32
// POWER-COUNT-4: ex2.approx.f32
plan.kernel @erf target "cuda" entries ["erf"] {
  ^bb0(%x0: tensor<512x1024xf32>):
    %0 = kernel.fusion (%x = %x0 : tensor<512x1024xf32>) -> tensor<512x1024xf32> attributes {impl = #kernel.impl<family = "pointwise", schedule = {threads = 256 : i64, unroll = 1 : i64, vector = 4 : i64}>} {
      %1 = graph.erf %x : tensor<512x1024xf32>
      kernel.yield %1 : tensor<512x1024xf32>
    }
}
