// RUN: minic-opt %s --split-input-file --graph-raise | FileCheck %s

// CHECK-LABEL: func.func @softmax
// CHECK-SAME: %[[X:.+]]: tensor
// CHECK-NEXT: %[[Y:.+]] = graph.softmax %[[X]] axis = 1
// CHECK-NEXT: return %[[Y]]
func.func @softmax(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = graph.reduce max, %x [1] {keep_dims} : tensor<3x5xf32> -> tensor<3x1xf32>
  %1 = graph.sub %x, %0 : (tensor<3x5xf32>, tensor<3x1xf32>) -> tensor<3x5xf32>
  %2 = graph.exp %1 : tensor<3x5xf32>
  %3 = graph.reduce sum, %2 [1] {keep_dims} : tensor<3x5xf32> -> tensor<3x1xf32>
  %4 = graph.div %2, %3 : (tensor<3x5xf32>, tensor<3x1xf32>) -> tensor<3x5xf32>
  return %4 : tensor<3x5xf32>
}

// -----

// Another axis, reductions that drop it, broadcasts, and a reciprocal.
// CHECK-LABEL: func.func @columns
// CHECK-SAME: %[[X:.+]]: tensor
// CHECK-NEXT: %[[Y:.+]] = graph.softmax %[[X]] axis = 0
// CHECK-NEXT: return %[[Y]]
func.func @columns(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %one = graph.constant dense<1.0> : tensor<f32>
  %0 = graph.reduce max, %x [0] : tensor<3x5xf32> -> tensor<5xf32>
  %1 = graph.reshape %0 : tensor<5xf32> to tensor<1x5xf32>
  %2 = graph.broadcast %1 : tensor<1x5xf32> to tensor<3x5xf32>
  %3 = graph.sub %x, %2 : tensor<3x5xf32>
  %4 = graph.exp %3 : tensor<3x5xf32>
  %5 = graph.reduce sum, %4 [0] : tensor<3x5xf32> -> tensor<5xf32>
  %6 = graph.div %one, %5 : (tensor<f32>, tensor<5xf32>) -> tensor<5xf32>
  %7 = graph.mul %6, %4 : (tensor<5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %7 : tensor<3x5xf32>
}

// -----

// Three ways to write log_softmax.
// CHECK-LABEL: func.func @log_softmax
// CHECK-SAME: %[[X:.+]]: tensor
// CHECK-NEXT: %[[A:.+]] = graph.log_softmax %[[X]] axis = 1
// CHECK-NEXT: %[[B:.+]] = graph.log_softmax %[[X]] axis = 1
// CHECK-NEXT: %[[C:.+]] = graph.log_softmax %[[X]] axis = 1
// CHECK-NEXT: return %[[A]], %[[B]], %[[C]]
func.func @log_softmax(%x: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>) {
  %0 = graph.reduce max, %x [1] {keep_dims} : tensor<3x5xf32> -> tensor<3x1xf32>
  %1 = graph.sub %x, %0 : (tensor<3x5xf32>, tensor<3x1xf32>) -> tensor<3x5xf32>
  %2 = graph.exp %1 : tensor<3x5xf32>
  %3 = graph.reduce sum, %2 [1] {keep_dims} : tensor<3x5xf32> -> tensor<3x1xf32>
  %4 = graph.log %3 : tensor<3x1xf32>
  %5 = graph.sub %1, %4 : (tensor<3x5xf32>, tensor<3x1xf32>) -> tensor<3x5xf32>
  %6 = graph.add %4, %0 : tensor<3x1xf32>
  %7 = graph.sub %x, %6 : (tensor<3x5xf32>, tensor<3x1xf32>) -> tensor<3x5xf32>
  %8 = graph.softmax %x axis = 1 : tensor<3x5xf32>
  %9 = graph.log %8 : tensor<3x5xf32>
  return %5, %7, %9 : tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>
}

// -----

// Nothing is subtracted, so that it overflows; another axis is summed; the
// maximum is of another value.
// CHECK-LABEL: func.func @others
// CHECK-NOT: graph.softmax
func.func @others(%x: tensor<5x5xf32>, %y: tensor<5x5xf32>) -> (tensor<5x5xf32>, tensor<5x5xf32>, tensor<5x5xf32>) {
  %0 = graph.exp %x : tensor<5x5xf32>
  %1 = graph.reduce sum, %0 [1] {keep_dims} : tensor<5x5xf32> -> tensor<5x1xf32>
  %2 = graph.div %0, %1 : (tensor<5x5xf32>, tensor<5x1xf32>) -> tensor<5x5xf32>
  %3 = graph.reduce max, %x [1] {keep_dims} : tensor<5x5xf32> -> tensor<5x1xf32>
  %4 = graph.sub %x, %3 : (tensor<5x5xf32>, tensor<5x1xf32>) -> tensor<5x5xf32>
  %5 = graph.exp %4 : tensor<5x5xf32>
  %6 = graph.reduce sum, %5 [0] {keep_dims} : tensor<5x5xf32> -> tensor<1x5xf32>
  %7 = graph.div %5, %6 : (tensor<5x5xf32>, tensor<1x5xf32>) -> tensor<5x5xf32>
  %8 = graph.sub %y, %3 : (tensor<5x5xf32>, tensor<5x1xf32>) -> tensor<5x5xf32>
  %9 = graph.exp %8 : tensor<5x5xf32>
  %10 = graph.reduce sum, %9 [1] {keep_dims} : tensor<5x5xf32> -> tensor<5x1xf32>
  %11 = graph.div %9, %10 : (tensor<5x5xf32>, tensor<5x1xf32>) -> tensor<5x5xf32>
  return %2, %7, %11 : tensor<5x5xf32>, tensor<5x5xf32>, tensor<5x5xf32>
}

// -----

// Sums of rows that are read as columns: nothing is kept where it was.
// CHECK-LABEL: func.func @transposed_statistics
// CHECK-NOT: graph.softmax
func.func @transposed_statistics(%x: tensor<5x5xf32>) -> tensor<5x5xf32> {
  %0 = graph.reduce max, %x [1] : tensor<5x5xf32> -> tensor<5xf32>
  %1 = graph.sub %x, %0 : (tensor<5x5xf32>, tensor<5xf32>) -> tensor<5x5xf32>
  %2 = graph.exp %1 : tensor<5x5xf32>
  %3 = graph.reduce sum, %2 [1] : tensor<5x5xf32> -> tensor<5xf32>
  %4 = graph.div %2, %3 : (tensor<5x5xf32>, tensor<5xf32>) -> tensor<5x5xf32>
  return %4 : tensor<5x5xf32>
}
