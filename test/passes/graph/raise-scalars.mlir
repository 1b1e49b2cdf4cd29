// RUN: minic-opt %s --split-input-file --graph-raise | FileCheck %s

// CHECK-LABEL: func.func @one_element
// CHECK:      %[[C:.+]] = graph.constant dense<2.000000e+00> : tensor<f32>
// CHECK:      graph.mul %{{.+}}, %[[C]] : (tensor<3x5xf32>, tensor<f32>)
func.func @one_element(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %c = graph.constant dense<2.0> : tensor<1x1xf32>
  %0 = graph.mul %x, %c : (tensor<3x5xf32>, tensor<1x1xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

// The constant's dimensions are the result's; many equal elements are a weight.
// CHECK-LABEL: func.func @others
// CHECK-DAG:  graph.constant dense<2.000000e+00> : tensor<1x1xf32>
// CHECK-DAG:  graph.constant dense<3.000000e+00> : tensor<5xf32>
func.func @others(%x: tensor<1xf32>, %y: tensor<5xf32>) -> (tensor<1x1xf32>, tensor<5xf32>) {
  %c = graph.constant dense<2.0> : tensor<1x1xf32>
  %d = graph.constant dense<3.0> : tensor<5xf32>
  %0 = graph.mul %x, %c : (tensor<1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  %1 = graph.mul %y, %d : tensor<5xf32>
  return %0, %1 : tensor<1x1xf32>, tensor<5xf32>
}
