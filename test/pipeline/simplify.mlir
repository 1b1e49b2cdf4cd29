// RUN: minic %s --compile-to=simplify -o - | FileCheck %s

// What is known at compile time is computed by the reference, rounded once;
// what that makes neutral is gone; transposes are where they cost nothing.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:[^:]+]]: tensor<4x2xf32>
// CHECK-DAG: %[[W:.+]] = graph.constant dense<{{\[\[}}1.000000e+00, 3.000000e+00], [2.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
// CHECK-DAG: %[[BIAS:.+]] = graph.constant dense<[2.71828175, 7.3890562]> : tensor<2xf32>
// CHECK: %[[SUM:.+]] = graph.linear %[[X]], %[[W]], %[[BIAS]]
// CHECK-NEXT: return %[[SUM]]
func.func @main(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %log = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %two = graph.constant dense<2.0> : tensor<f32>
  %half = graph.constant dense<0.5> : tensor<f32>
  %wt = graph.transpose %w [1, 0] : tensor<2x2xf32> -> tensor<2x2xf32>
  %b = graph.exp %log : tensor<2xf32>
  %0 = graph.linear %x, %wt, %b : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %one = graph.mul %two, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %1 = graph.mul %0, %one : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// A broadcast that would not fit into the cache is computed at run time.
// CHECK-LABEL: func.func @large
// CHECK: graph.add
func.func @large() -> tensor<1024x1024xf32> {
  %row = graph.constant dense<1.0> : tensor<1x1024xf32>
  %column = graph.constant dense<2.0> : tensor<1024x1xf32>
  %0 = graph.add %row, %column : (tensor<1x1024xf32>, tensor<1024x1xf32>) -> tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}

// Reductions too.
// CHECK-LABEL: func.func @reductions
// CHECK-DAG: graph.constant dense<[1.500000e+00, 3.500000e+00]> : tensor<2xf32>
// CHECK-DAG: graph.constant dense<5.000000e-01> : tensor<1x2xf32>
// CHECK-NEXT: return
func.func @reductions() -> (tensor<2xf32>, tensor<1x2xf32>) {
  %a = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %b = graph.constant dense<7.0> : tensor<1x2xf32>
  %0 = graph.reduce mean, %a [1] : tensor<2x2xf32> -> tensor<2xf32>
  %1 = graph.softmax %b axis = 1 : tensor<1x2xf32>
  return %0, %1 : tensor<2xf32>, tensor<1x2xf32>
}
