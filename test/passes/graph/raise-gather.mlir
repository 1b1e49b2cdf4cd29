// RUN: minic-opt %s --split-input-file --graph-raise --canonicalize | FileCheck %s

// All rows in order are the input; some are a slice.
// CHECK-LABEL: func.func @ranges
// CHECK-SAME: %[[X:[^:]+]]: tensor<6xi1>, %[[Y:[^:]+]]: tensor<4x5xf32>
// CHECK-DAG:  %[[A:.+]] = graph.reshape %[[X]] : tensor<6xi1> to tensor<2x3xi1>
// CHECK-DAG:  %[[B:.+]] = graph.slice %[[Y]] [0, 2] to [4, 4] by [1, 1]
// CHECK:      return %[[A]], %[[B]]
func.func @ranges(%x: tensor<6xi1>, %y: tensor<4x5xf32>) -> (tensor<2x3xi1>, tensor<4x2xf32>) {
  %all = graph.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>
  %some = graph.constant dense<[2, 3]> : tensor<2xi32>
  %0 = graph.gather %x, %all axis = 0 : (tensor<6xi1>, tensor<2x3xi64>) -> tensor<2x3xi1>
  %1 = graph.gather %y, %some axis = 1 : (tensor<4x5xf32>, tensor<2xi32>) -> tensor<4x2xf32>
  return %0, %1 : tensor<2x3xi1>, tensor<4x2xf32>
}

// -----

// Another order, one index twice, indices that are clamped, or not known.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-5: graph.gather
func.func @others(%x: tensor<4xf32>, %at: tensor<2xi64>)
    -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %back = graph.constant dense<[2, 1]> : tensor<2xi64>
  %twice = graph.constant dense<1> : tensor<2xi64>
  %behind = graph.constant dense<[3, 4]> : tensor<2xi64>
  %before = graph.constant dense<[-1, 0]> : tensor<2xi64>
  %0 = graph.gather %x, %back axis = 0 : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
  %1 = graph.gather %x, %twice axis = 0 : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
  %2 = graph.gather %x, %behind axis = 0 : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
  %3 = graph.gather %x, %before axis = 0 : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
  %4 = graph.gather %x, %at axis = 0 : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
  return %0, %1, %2, %3, %4 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
