// RUN: minic-opt %s --split-input-file --graph-raise --canonicalize | FileCheck %s

// Two convolutions along one dimension, as importers write them: nothing is
// reshaped between them.
// CHECK-LABEL: func.func @conv1d
// CHECK:      %[[A:.+]] = graph.conv2d {{.*}} -> tensor<1x3x1x9xf32>
// CHECK-NEXT: %[[G:.+]] = graph.gelu %[[A]] : tensor<1x3x1x9xf32>
// CHECK-NEXT: %[[B:.+]] = graph.conv2d %[[G]], {{.*}} -> tensor<1x3x1x9xf32>
// CHECK-NEXT: %[[R:.+]] = graph.relu %[[B]]
// CHECK-NEXT: %[[M:.+]] = graph.mul %[[R]], %{{.+}} -> tensor<1x3x1x9xf32>
// CHECK-NEXT: graph.reshape %[[M]] : tensor<1x3x1x9xf32> to tensor<1x3x9xf32>
func.func @conv1d(%x: tensor<1x2x1x9xf32>, %f: tensor<3x2x1x3xf32>, %g: tensor<3x3x1x3xf32>, %half: tensor<f32>) -> tensor<1x3x9xf32> {
  %0 = graph.conv2d %x, %f {pads = array<i64: 0, 1, 0, 1>} : (tensor<1x2x1x9xf32>, tensor<3x2x1x3xf32>) -> tensor<1x3x1x9xf32>
  %1 = graph.reshape %0 : tensor<1x3x1x9xf32> to tensor<1x3x9xf32>
  %2 = graph.gelu %1 : tensor<1x3x9xf32>
  %3 = graph.reshape %2 : tensor<1x3x9xf32> to tensor<1x3x1x9xf32>
  %4 = graph.conv2d %3, %g {pads = array<i64: 0, 1, 0, 1>} : (tensor<1x3x1x9xf32>, tensor<3x3x1x3xf32>) -> tensor<1x3x1x9xf32>
  %5 = graph.reshape %4 : tensor<1x3x1x9xf32> to tensor<1x3x9xf32>
  %6 = graph.relu %5 : tensor<1x3x9xf32>
  %7 = graph.mul %6, %half : (tensor<1x3x9xf32>, tensor<f32>) -> tensor<1x3x9xf32>
  return %7 : tensor<1x3x9xf32>
}

// -----

// A residual: both are images.
// CHECK-LABEL: func.func @residual
// CHECK:      %[[A:.+]] = graph.conv2d
// CHECK-NEXT: %[[B:.+]] = graph.conv2d
// CHECK-NEXT: %[[S:.+]] = graph.add %[[A]], %[[B]] : tensor<1x3x1x9xf32>
// CHECK-NEXT: graph.reshape %[[S]]
func.func @residual(%x: tensor<1x2x1x9xf32>, %f: tensor<3x2x1x1xf32>, %g: tensor<3x2x1x1xf32>) -> tensor<1x3x9xf32> {
  %0 = graph.conv2d %x, %f : (tensor<1x2x1x9xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x1x9xf32>
  %1 = graph.reshape %0 : tensor<1x3x1x9xf32> to tensor<1x3x9xf32>
  %2 = graph.conv2d %x, %g : (tensor<1x2x1x9xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x1x9xf32>
  %3 = graph.reshape %2 : tensor<1x3x1x9xf32> to tensor<1x3x9xf32>
  %4 = graph.add %1, %3 : (tensor<1x3x9xf32>, tensor<1x3x9xf32>) -> tensor<1x3x9xf32>
  return %4 : tensor<1x3x9xf32>
}

// -----

// What is broadcast over the flattened image stays, as does the reshape of
// what no convolution made, and one that others read.
// CHECK-LABEL: func.func @others
// CHECK:      graph.reshape
// CHECK-NEXT: graph.add {{.*}} tensor<1x3x9xf32>
// CHECK-NEXT: graph.reshape
// CHECK-NEXT: graph.relu {{.*}} tensor<1x2x9xf32>
// CHECK:      %[[R:.+]] = graph.reshape
// CHECK-NEXT: graph.gelu %[[R]] : tensor<1x3x9xf32>
func.func @others(%x: tensor<1x2x1x9xf32>, %f: tensor<3x2x1x1xf32>, %row: tensor<9xf32>) -> (tensor<1x3x9xf32>, tensor<1x2x9xf32>, tensor<1x3x9xf32>, tensor<1x3x9xf32>) {
  %0 = graph.conv2d %x, %f : (tensor<1x2x1x9xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x1x9xf32>
  %1 = graph.reshape %0 : tensor<1x3x1x9xf32> to tensor<1x3x9xf32>
  %2 = graph.add %1, %row : (tensor<1x3x9xf32>, tensor<9xf32>) -> tensor<1x3x9xf32>
  %3 = graph.reshape %x : tensor<1x2x1x9xf32> to tensor<1x2x9xf32>
  %4 = graph.relu %3 : tensor<1x2x9xf32>
  %5 = graph.conv2d %x, %f : (tensor<1x2x1x9xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x1x9xf32>
  %6 = graph.reshape %5 : tensor<1x3x1x9xf32> to tensor<1x3x9xf32>
  %7 = graph.gelu %6 : tensor<1x3x9xf32>
  return %2, %4, %6, %7 : tensor<1x3x9xf32>, tensor<1x2x9xf32>, tensor<1x3x9xf32>, tensor<1x3x9xf32>
}
