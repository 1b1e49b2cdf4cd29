// What of cuBLAS and cuBLASLt reaches a plan; compiled without a GPU.
//
// RUN: minic %s --target=cuda:sm_90a --device-profile=h200 --function=unaligned --gemm-backends=library-fused --compile-to=plan | FileCheck %s --check-prefix=PADDED
// RUN: minic %s --target=cuda:sm_90a --device-profile=h200 --function=unaligned --gemm-backends=aten --compile-to=plan | FileCheck %s --check-prefix=ATEN
// RUN: minic %s --target=cuda:sm_90a --device-profile=h200 --function=fused --gemm-backends=library-fused --compile-to=plan | FileCheck %s --check-prefix=FUSED
// RUN: minic %s --target=cuda:sm_90a --device-profile=h200 --function=exact --gemm-backends=library-fused --compile-to=plan | FileCheck %s --check-prefix=EXACT
// RUN: minic %s --target=cuda:sm_90a --device-profile=h200 --function=fused --gemm-backends=library-fused --float32-precision=tf32 --workspace-limit=4096 --compile-to=plan | FileCheck %s --check-prefix=TF32

// The weights are padded here, the activation by a kernel in each run.
// PADDED: plan.launch "relayout_560x3420_bf16"
// PADDED-NOT: plan.launch
// PADDED: plan.call <"cublaslt" "matmul"(lhs = <operand = 0, dtype = bf16, dims = [560, 3456], strides = [3456, 1]>, rhs = <operand = 1, dtype = bf16, dims = [3456, 1280], strides = [1, 3456]>
// PADDED-NOT: algorithm
// PADDED-SAME: scratch_bytes = 33554432
// PADDED: plan.constant {{.*}} : tensor<1280x3420xbf16, #kernel.layout<order = [0, 1], blocks = [], padded = [1280, 3456]>>

// Eager execution pads nothing.
// ATEN-NOT: plan.launch
// ATEN: plan.call <"cublas" "gemm"(lhs = <operand = 0, dtype = bf16, dims = [560, 3420], strides = [3420, 1]>
func.func @unaligned(%x: tensor<560x3420xbf16>) -> tensor<560x1280xbf16> {
  %w = graph.constant dense<0.25> : tensor<3420x1280xbf16>
  %0 = graph.matmul %x, %w : (tensor<560x3420xbf16>, tensor<3420x1280xbf16>) -> tensor<560x1280xbf16>
  return %0 : tensor<560x1280xbf16>
}

// FUSED-NOT: plan.launch
// FUSED: plan.call <"cublaslt" "matmul"(
// FUSED-SAME: bias = <operand = 2, dtype = f32, dims = [64], strides = [1]>
// FUSED-SAME: addend = <operand = 3, dtype = f32, dims = [16, 64], strides = [64, 1]>
// FUSED-SAME: attributes {compute = "f32"} epilogue [#plan.eltwise<kind = "relu"
// TF32: attributes {compute = "tf32"} epilogue [#plan.eltwise<kind = "relu"
// TF32-SAME: scratch_bytes = 4096
func.func @fused(%x: tensor<16x32xf32>, %w: tensor<64x32xf32>, %b: tensor<64xf32>, %r: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %0 = graph.linear %x, %w, %b : (tensor<16x32xf32>, tensor<64x32xf32>, tensor<64xf32>) -> tensor<16x64xf32>
  %1 = graph.add %0, %r : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
  %2 = graph.relu %1 : tensor<16x64xf32>
  return %2 : tensor<16x64xf32>
}

// The library's gelu is the tanh form, so the exact one is a kernel.
// EXACT: plan.call <"cublaslt" "matmul"(
// EXACT-SAME: attributes {compute = "f32"}>(
// EXACT: plan.launch
func.func @exact(%x: tensor<16x32xbf16>, %w: tensor<64x32xbf16>, %b: tensor<64xbf16>) -> tensor<16x64xbf16> {
  %0 = graph.linear %x, %w, %b : (tensor<16x32xbf16>, tensor<64x32xbf16>, tensor<64xbf16>) -> tensor<16x64xbf16>
  %1 = graph.gelu %0 : tensor<16x64xbf16>
  return %1 : tensor<16x64xbf16>
}
