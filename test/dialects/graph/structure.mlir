// Ops beyond the pointwise ones and products, as they are written and printed.
//
// RUN: minic-opt %s | minic-opt | FileCheck %s

// CHECK-LABEL: func.func @norms
func.func @norms(%x: tensor<4x8xbf16>, %w: tensor<8xbf16>, %i: tensor<1x6x4x4xf32>) {
  // CHECK: graph.log_softmax %{{.+}} axis = 1 : tensor<4x8xbf16>
  %0 = graph.log_softmax %x axis = 1 : tensor<4x8xbf16>
  // CHECK: graph.layer_norm %{{.+}} axis = 1 : (tensor<4x8xbf16>) -> tensor<4x8xbf16>
  %1 = graph.layer_norm %x axis = 1 : (tensor<4x8xbf16>) -> tensor<4x8xbf16>
  // CHECK: graph.layer_norm %{{.+}} bias %{{.+}} axis = 1 {epsilon = 0.000000e+00 : f64} :
  %2 = graph.layer_norm %x bias %w axis = 1 {epsilon = 0.0 : f64} : (tensor<4x8xbf16>, tensor<8xbf16>) -> tensor<4x8xbf16>
  // CHECK: graph.rms_norm %{{.+}} scale %{{.+}} axis = 1 :
  %3 = graph.rms_norm %x scale %w axis = 1 : (tensor<4x8xbf16>, tensor<8xbf16>) -> tensor<4x8xbf16>
  // CHECK: graph.group_norm %{{.+}} groups = 3 :
  %4 = graph.group_norm %i groups = 3 : (tensor<1x6x4x4xf32>) -> tensor<1x6x4x4xf32>
  return
}

// CHECK-LABEL: func.func @indices
func.func @indices(%x: tensor<4x8xf32>, %ids: tensor<2x3xi32>, %at: tensor<i32>) {
  // CHECK: graph.gather %{{.+}}, %{{.+}} axis = 1 : (tensor<4x8xf32>, tensor<2x3xi32>) -> tensor<4x2x3xf32>
  %0 = graph.gather %x, %ids axis = 1 : (tensor<4x8xf32>, tensor<2x3xi32>) -> tensor<4x2x3xf32>
  // CHECK: graph.concat %{{.+}}, %{{.+}}, %{{.+}} axis = 0 : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<12x8xf32>
  %1 = graph.concat %x, %x, %x axis = 0 : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<12x8xf32>
  // CHECK: graph.slice %{{.+}} [1, 0] to [4, 8] by [2, 3] : tensor<4x8xf32> -> tensor<2x3xf32>
  %2 = graph.slice %x [1, 0] to [4, 8] by [2, 3] : tensor<4x8xf32> -> tensor<2x3xf32>
  // CHECK: graph.pad %{{.+}} before [1, 0] after [0, 2] : tensor<4x8xf32> -> tensor<5x10xf32>
  %3 = graph.pad %x before [1, 0] after [0, 2] {value = 0.0 : f64} : tensor<4x8xf32> -> tensor<5x10xf32>
  // CHECK: graph.broadcast %{{.+}} : tensor<4x8xf32> to tensor<3x4x8xf32>
  %4 = graph.broadcast %x : tensor<4x8xf32> to tensor<3x4x8xf32>
  // CHECK: graph.iota axis = 0 : tensor<5xi64>
  %5 = graph.iota axis = 0 : tensor<5xi64>
  // CHECK: graph.cache_update %{{.+}}, %{{.+}} at %{{.+}} axis = 0 :
  %6 = graph.cache_update %1, %x at %at axis = 0 : (tensor<12x8xf32>, tensor<4x8xf32>, tensor<i32>) -> tensor<12x8xf32>
  return
}

// CHECK-LABEL: func.func @order
func.func @order(%x: tensor<4x8xf32>, %i: tensor<4x8xi32>) {
  // CHECK: graph.arg_reduce min, %{{.+}} axis = 0 {keep_dims} : tensor<4x8xf32> -> tensor<1x8xi64>
  %0 = graph.arg_reduce min, %x axis = 0 {keep_dims} : tensor<4x8xf32> -> tensor<1x8xi64>
  // CHECK: %{{.+}}, %{{.+}} = graph.top_k max, %{{.+}} axis = 1 k = 2 : tensor<4x8xf32> -> tensor<4x2xf32>, tensor<4x2xi64>
  %1, %2 = graph.top_k max, %x axis = 1 k = 2 : tensor<4x8xf32> -> tensor<4x2xf32>, tensor<4x2xi64>
  // CHECK: graph.cumsum %{{.+}} axis = 1 {exclusive, reverse} : tensor<4x8xi32>
  %3 = graph.cumsum %i axis = 1 {exclusive, reverse} : tensor<4x8xi32>
  return
}

// CHECK-LABEL: func.func @attention
func.func @attention(%q: tensor<2x8x3x64xbf16>, %k: tensor<2x2x5x64xbf16>, %v: tensor<2x2x5x32xbf16>,
                     %mask: tensor<3x5xi1>, %length: tensor<2xi64>, %angles: tensor<3x16xbf16>) {
  // CHECK: graph.attention %{{.+}}, %{{.+}}, %{{.+}} mask %{{.+}} key_length %{{.+}} {causal = #graph.causal<lower_right>, scale = 5.000000e-01 : f64, soft_cap = 3.000000e+01 : f64, window = 4 : i64, with_log_sum_exp} :
  %0, %1 = graph.attention %q, %k, %v mask %mask key_length %length
      {causal = #graph.causal<lower_right>, scale = 0.5 : f64, soft_cap = 30.0 : f64, window = 4 : i64, with_log_sum_exp}
    : (tensor<2x8x3x64xbf16>, tensor<2x2x5x64xbf16>, tensor<2x2x5x32xbf16>, tensor<3x5xi1>, tensor<2xi64>)
    -> (tensor<2x8x3x32xbf16>, tensor<2x8x3xf32>)
  // CHECK: graph.attention %{{.+}}, %{{.+}}, %{{.+}} : (tensor<2x8x3x64xbf16>, {{.+}}) -> tensor<2x8x3x32xbf16>
  %2 = graph.attention %q, %k, %v
    : (tensor<2x8x3x64xbf16>, tensor<2x2x5x64xbf16>, tensor<2x2x5x32xbf16>) -> tensor<2x8x3x32xbf16>
  // CHECK: graph.rotary %{{.+}}, %{{.+}}, %{{.+}} {interleaved} :
  %3 = graph.rotary %q, %angles, %angles {interleaved}
    : (tensor<2x8x3x64xbf16>, tensor<3x16xbf16>, tensor<3x16xbf16>) -> tensor<2x8x3x64xbf16>
  return
}
