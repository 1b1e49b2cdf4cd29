// What reaches a CUDA plan of the generated kernels, of graph modes and of
// architectures; compiled without a GPU.
//
// RUN: minic %s --target=cuda:sm_90a --device-profile=h200 --function=skinny --gemm-backends=generated --compile-to=plan | FileCheck %s --check-prefix=SKINNY
// RUN: minic %s --target=cuda:sm_80 --device-profile=h200 --function=skinny --gemm-backends=generated --compile-to=plan | FileCheck %s --check-prefix=OLDER
// RUN: minic %s --target=cuda:sm_90a --device-profile=h200 --function=pointwise --compile-to=plan | FileCheck %s --check-prefix=POINTWISE
// RUN: minic %s --target=cuda:sm_90a --device-profile=h200 --function=pointwise --mode=reduce-overhead --compile-to=plan | FileCheck %s --check-prefix=REPLAY
// RUN: minic %s --target=cuda:sm_80,sm_90a --device-profile=h200 --ptx=on -o %t.minic
// RUN: minic inspect %t.minic | FileCheck %s --check-prefix=VARIANTS

// No kernel asks for more shared memory than every device of its architecture has,
// whatever the device that is here or named.
// RUN: for arch in sm_86 sm_89 sm_120 compute_80; do minic %s --target=cuda:$arch --device-profile=h200 --function=large --gemm-backends=generated --compile-to=plan || exit 1; done | FileCheck %s --check-prefix=SMALL
// RUN: minic %s --target=cuda --device-profile=h200 --function=large --gemm-backends=generated --compile-to=plan | FileCheck %s --check-prefix=WHOLE
// SMALL-COUNT-4: shared_bytes = {{[1-9][0-9]?[0-9]?[0-9]?[0-9]?}} :
// WHOLE: shared_bytes = {{[1-9][0-9][0-9][0-9][0-9][0-9]}} :
func.func @large(%x: tensor<512x4096xbf16>, %w: tensor<4096x4096xbf16>) -> tensor<512x4096xbf16> {
  %0 = graph.linear %x, %w : (tensor<512x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<512x4096xbf16>
  return %0 : tensor<512x4096xbf16>
}

// The most exact variant comes first, PTX for later devices last.
// VARIANTS-DAG: cubin sm_90a
// VARIANTS-DAG: cubin sm_80
// VARIANTS-DAG: ptx compute_80
// VARIANTS: function
// VARIANTS: needs sm_90a
// VARIANTS: needs sm_80
// VARIANTS: needs compute_80

// The weights are rows of N in memory; their loads start early.
// SKINNY: plan.launch "linear_silu_1x8192_24x8192_bf16__gemm_skinny_{{[0-9a-z_]+}}"
// SKINNY-SAME: programmatic
// SKINNY-SAME: shared_bytes =
// SKINNY: plan.constant {{.*}} : tensor<24x8192xbf16> =
// OLDER: plan.launch "linear_silu_1x8192_24x8192_bf16__gemm_skinny_{{[0-9a-z_]+}}"
// OLDER-NOT: programmatic
func.func @skinny(%x: tensor<1x8192xbf16>) -> tensor<1x24xbf16> {
  %w = graph.constant dense<0.25> : tensor<8192x24xbf16>
  %0 = graph.matmul %x, %w : (tensor<1x8192xbf16>, tensor<8192x24xbf16>) -> tensor<1x24xbf16>
  %1 = graph.silu %0 : tensor<1x24xbf16>
  return %1 : tensor<1x24xbf16>
}

// POINTWISE: graph = #plan.graph_verdict<replay = always,
// POINTWISE: plan.launch "gelu_64x128_f32__pointwise_{{[0-9a-z_]+}}" grid [{{[0-9]+}}]
// POINTWISE-SAME: block = array<i64: {{128|256}}>
// REPLAY: graph = #plan.graph_verdict<replay = always, graph_us = 0.000000e+00 : f64, stream_us = 0.000000e+00 : f64, graph_call_us = 0.000000e+00 : f64, stream_call_us = 0.000000e+00 : f64, when_idle_us = 0.000000e+00 : f64, when_idle_call_us = 0.000000e+00 : f64, run_us = 0.000000e+00 : f64>
func.func @pointwise(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = graph.gelu %x : tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}
