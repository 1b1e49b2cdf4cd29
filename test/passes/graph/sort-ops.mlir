// RUN: minic-opt %s --split-input-file --graph-sort-ops | FileCheck %s

// Operands come in the order in which they are read, whatever comes first in the
// model: here a constant and the transposed values do.
// CHECK-LABEL: func.func @heads
// CHECK-SAME:  %[[Q:[^:]+]]: tensor<2x3x4xf32>, %[[K:[^:]+]]: tensor<2x5x4xf32>, %[[V:[^:]+]]: tensor<2x5x4xf32>
// CHECK-NEXT:  %[[KT:.+]] = graph.transpose %[[K]] [0, 2, 1]
// CHECK-NEXT:  %[[SCORES:.+]] = graph.matmul %[[Q]], %[[KT]]
// CHECK-NEXT:  %[[WEIGHTS:.+]] = graph.softmax %[[SCORES]]
// CHECK-NEXT:  %[[VR:.+]] = graph.relu %[[V]]
// CHECK-NEXT:  %[[RESULT:.+]] = graph.matmul %[[WEIGHTS]], %[[VR]]
// CHECK-NEXT:  %[[ONE:.+]] = graph.constant
// CHECK-NEXT:  %[[SUM:.+]] = graph.add %[[RESULT]], %[[ONE]]
// CHECK-NEXT:  return %[[SUM]]
func.func @heads(%q: tensor<2x3x4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x4xf32>) -> tensor<2x3x4xf32> {
  %one = graph.constant dense<1.0> : tensor<f32>
  %vr = graph.relu %v : tensor<2x5x4xf32>
  %kt = graph.transpose %k [0, 2, 1] : tensor<2x5x4xf32> -> tensor<2x4x5xf32>
  %scores = graph.matmul %q, %kt : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %weights = graph.softmax %scores axis = 2 : tensor<2x3x5xf32>
  %result = graph.matmul %weights, %vr : (tensor<2x3x5xf32>, tensor<2x5x4xf32>) -> tensor<2x3x4xf32>
  %sum = graph.add %result, %one : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  return %sum : tensor<2x3x4xf32>
}

// -----

// What nobody reads stays, behind its operands.
// CHECK-LABEL: func.func @unused
// CHECK-NEXT:  %[[A:.+]] = graph.relu
// CHECK-NEXT:  graph.exp %[[A]]
// CHECK-NEXT:  return %[[A]]
func.func @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.relu %x : tensor<4xf32>
  %b = graph.exp %a : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// In its order already: operands from the first to the last, results too, and a
// value that is read twice where it is read first.
// CHECK-LABEL: func.func @sorted
// CHECK-NEXT:  %[[A:.+]] = graph.exp
// CHECK-NEXT:  %[[B:.+]] = graph.relu %[[A]]
// CHECK-NEXT:  %[[C:.+]] = graph.sub %[[A]], %[[B]]
// CHECK-NEXT:  %[[D:.+]] = graph.tanh %[[B]]
// CHECK-NEXT:  return %[[C]], %[[D]], %[[A]]
func.func @sorted(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a = graph.exp %x : tensor<4xf32>
  %b = graph.relu %a : tensor<4xf32>
  %c = graph.sub %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %d = graph.tanh %b : tensor<4xf32>
  return %c, %d, %a : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
