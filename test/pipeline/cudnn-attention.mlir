// Attention for a GPU by cuDNN: as a choice, as a plan, and as the artifact that
// is written and read back. The heads of a projection are strides of the call.
//
// RUN: minic %s --target=cuda:sm_90a --device-profile=h200 --gemm-backends=cudnn --compile-to=select-algorithm | FileCheck %s --check-prefix=SELECT
// RUN: minic %s --target=cuda:sm_90a --device-profile=h200 --gemm-backends=cudnn --compile-to=plan | FileCheck %s --check-prefix=PLAN
// RUN: minic %s --target=cuda:sm_90a --device-profile=h200 --gemm-backends=cudnn -o %t.minic
// RUN: minic inspect --mlir %t.minic | FileCheck %s --check-prefix=PLAN

// SELECT: impl = #kernel.impl<family = "cudnn_attention", schedule = {compute = "f32", scratch_bytes = 33554432 : i64}>

// PLAN: plan.call <"cudnn" "attention"(query = <operand = 0, dtype = bf16, dims = [2, 4, 16, 64], strides = [4096, 64, 256, 1]>
// PLAN-SAME: key = <operand = 1, dtype = bf16, dims = [2, 2, 32, 64], strides = [4096, 2048, 64, 1]>
// PLAN-SAME: result = <operand = 3, dtype = bf16, dims = [2, 4, 16, 64], strides = [4096, 64, 256, 1]>
// PLAN-SAME: attributes {causal = "lower_right", scale = 1.250000e-01 : f64}>
// PLAN-NOT: plan.launch

func.func @main(%x: tensor<2x16x4x64xbf16>, %k: tensor<2x2x32x64xbf16>, %v: tensor<2x2x32x64xbf16>) -> tensor<2x16x4x64xbf16> {
  %q = graph.transpose %x [0, 2, 1, 3] : tensor<2x16x4x64xbf16> -> tensor<2x4x16x64xbf16>
  %a = graph.attention %q, %k, %v {causal = #graph.causal<lower_right>}
    : (tensor<2x4x16x64xbf16>, tensor<2x2x32x64xbf16>, tensor<2x2x32x64xbf16>) -> tensor<2x4x16x64xbf16>
  %r = graph.transpose %a [0, 2, 1, 3] : tensor<2x4x16x64xbf16> -> tensor<2x16x4x64xbf16>
  return %r : tensor<2x16x4x64xbf16>
}
