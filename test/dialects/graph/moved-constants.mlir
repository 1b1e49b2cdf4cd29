// RUN: minic-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// Values whose elements lie elsewhere in another order.
// CHECK-LABEL: func.func @moved
func.func @moved() -> (tensor<3x2xf32>, tensor<5x2xf32>, tensor<10xf32>) {
  // CHECK: graph.constant @a = #graph.transposed<dense_resource<w> : tensor<2x3xf32>, [1, 0]> : tensor<3x2xf32>
  // CHECK: graph.constant @b = #graph.concatenated<[dense_resource<v> : tensor<3x2xf32>, dense<0.000000e+00> : tensor<2x2xf32>], 0> : tensor<5x2xf32>
  // CHECK: graph.constant @c = #graph.reshaped<#graph.concatenated<[dense_resource<v> : tensor<3x2xf32>, dense<0.000000e+00> : tensor<2x2xf32>], 0> : tensor<5x2xf32>> : tensor<10xf32>
  %a = graph.constant @a = #graph.transposed<dense_resource<w> : tensor<2x3xf32>, [1, 0]> : tensor<3x2xf32>
  %b = graph.constant @b = #graph.concatenated<[dense_resource<v> : tensor<3x2xf32>, dense<0.0> : tensor<2x2xf32>], 0> : tensor<5x2xf32>
  %c = graph.constant @c = #graph.reshaped<#graph.concatenated<[dense_resource<v> : tensor<3x2xf32>, dense<0.0> : tensor<2x2xf32>], 0> : tensor<5x2xf32>> : tensor<10xf32>
  return %a, %b, %c : tensor<3x2xf32>, tensor<5x2xf32>, tensor<10xf32>
}

// -----

func.func @shape() {
  // expected-error @below {{expects 'tensor<2x3xf32>' to be 'tensor<2x3xf32>' transposed by its permutation}}
  %a = graph.constant @a = #graph.transposed<dense_resource<w> : tensor<2x3xf32>, [1, 0]> : tensor<2x3xf32>
  return
}

// -----

func.func @no_permutation() {
  // expected-error @below {{expects 'tensor<2x2xf32>' to be 'tensor<2x2xf32>' transposed by its permutation}}
  %a = graph.constant @a = #graph.transposed<dense_resource<w> : tensor<2x2xf32>, [1, 1]> : tensor<2x2xf32>
  return
}

// -----

func.func @bits() {
  // expected-error @below {{transposed by its permutation}}
  %a = graph.constant @a = #graph.transposed<dense<[[true, false]]> : tensor<1x2xi1>, [1, 0]> : tensor<2x1xi1>
  return
}

// -----

func.func @sum() {
  // expected-error @below {{expects 'tensor<5x2xf32>' to be its values one after the other}}
  %a = graph.constant @a = #graph.concatenated<[dense_resource<v> : tensor<3x2xf32>], 0> : tensor<5x2xf32>
  return
}

// -----

func.func @axis() {
  // expected-error @below {{expects 'tensor<3x2xf32>' to be its values one after the other}}
  %a = graph.constant @a = #graph.concatenated<[dense_resource<v> : tensor<3x2xf32>], 2> : tensor<3x2xf32>
  return
}

// -----

func.func @other() {
  // expected-error @below {{expects 'tensor<6x2xf32>' to be its values one after the other}}
  %a = graph.constant @a = #graph.concatenated<[dense_resource<v> : tensor<3x2xf32>, dense_resource<u> : tensor<3x1xf32>], 0> : tensor<6x2xf32>
  return
}

// -----

func.func @fewer() {
  // expected-error @below {{expects 'tensor<5xf32>' to be 'tensor<3x2xf32>' under another shape}}
  %a = graph.constant @a = #graph.reshaped<dense_resource<v> : tensor<3x2xf32>> : tensor<5xf32>
  return
}
