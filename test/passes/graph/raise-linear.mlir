// RUN: minic-opt %s --split-input-file --graph-raise | FileCheck %s

// A matrix of a checkpoint is [K, N] where an exporter has transposed it.
// CHECK-LABEL: func.func @bias
// CHECK-SAME: %[[X:.+]]: tensor<2x3x4xf32>
// CHECK-DAG:  %[[W:.+]] = graph.constant {{.*}} : tensor<4x5xf32>
// CHECK-DAG:  %[[B:.+]] = graph.constant {{.*}} : tensor<5xf32>
// CHECK:      %[[T:.+]] = graph.transpose %[[W]] [1, 0]
// CHECK:      %[[Y:.+]] = graph.linear %[[X]], %[[T]], %[[B]]
// CHECK-NEXT: return %[[Y]]
func.func @bias(%x: tensor<2x3x4xf32>) -> tensor<2x3x5xf32> {
  %w = graph.constant dense<2.0> : tensor<4x5xf32>
  %b = graph.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>
  %0 = graph.matmul %x, %w : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> tensor<2x3x5xf32>
  %1 = graph.add %b, %0 : (tensor<5xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return %1 : tensor<2x3x5xf32>
}

// -----

// A transposed operand is the weight as it is, as of a tied embedding.
// CHECK-LABEL: func.func @transposed
// CHECK:      %[[W:.+]] = graph.constant
// CHECK-NOT:  graph.transpose
// CHECK:      graph.linear %{{.+}}, %[[W]] : (tensor<3x4xf32>, tensor<5x4xf32>)
func.func @transposed(%x: tensor<3x4xf32>) -> tensor<3x5xf32> {
  %w = graph.constant dense<2.0> : tensor<5x4xf32>
  %0 = graph.matmul %x, %w {transpose_rhs} : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

// A batch of one matrix, and a bias of rank 3.
// CHECK-LABEL: func.func @one_of_a_batch
// CHECK-DAG:  %[[W:.+]] = graph.reshape %{{.+}} : tensor<1x4x5xf32> to tensor<4x5xf32>
// CHECK-DAG:  %[[T:.+]] = graph.transpose %[[W]] [1, 0]
// CHECK-DAG:  %[[B:.+]] = graph.reshape %{{.+}} : tensor<1x1x5xf32> to tensor<5xf32>
// CHECK:      graph.linear %{{.+}}, %[[T]], %[[B]]
func.func @one_of_a_batch(%x: tensor<2x3x4xf32>) -> tensor<2x3x5xf32> {
  %w = graph.constant dense<2.0> : tensor<1x4x5xf32>
  %b = graph.constant dense<1.0> : tensor<1x1x5xf32>
  %0 = graph.matmul %x, %w : (tensor<2x3x4xf32>, tensor<1x4x5xf32>) -> tensor<2x3x5xf32>
  %1 = graph.add %0, %b : (tensor<2x3x5xf32>, tensor<1x1x5xf32>) -> tensor<2x3x5xf32>
  return %1 : tensor<2x3x5xf32>
}

// -----

// The product is a result too: it is computed once.
// CHECK-LABEL: func.func @product_used
// CHECK:      %[[Y:.+]] = graph.linear %{{.+}}, %{{.+}} : (tensor<3x4xf32>, tensor<5x4xf32>)
// CHECK-NEXT: %[[Z:.+]] = graph.add %[[Y]]
// CHECK-NEXT: return %[[Y]], %[[Z]]
func.func @product_used(%x: tensor<3x4xf32>, %b: tensor<5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  %w = graph.constant dense<2.0> : tensor<5x4xf32>
  %0 = graph.matmul %x, %w {transpose_rhs} : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
  %1 = graph.add %0, %b : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  return %0, %1 : tensor<3x5xf32>, tensor<3x5xf32>
}

// -----

// A residual of one row is no bias; nor is a constant with a row each, or one
// that makes the result larger.
// CHECK-LABEL: func.func @no_bias
// CHECK:      graph.linear
// CHECK-NEXT: graph.add
// CHECK:      graph.linear
// CHECK-NEXT: graph.add
// CHECK:      graph.linear
// CHECK-NEXT: graph.add
func.func @no_bias(%x: tensor<1x4xf32>, %y: tensor<3x4xf32>, %residual: tensor<1x5xf32>)
    -> (tensor<1x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>) {
  %w = graph.constant dense<2.0> : tensor<5x4xf32>
  %rows = graph.constant dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32>
  %many = graph.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 3.0, 4.0, 6.0]]> : tensor<3x5xf32>
  %0 = graph.linear %x, %w : (tensor<1x4xf32>, tensor<5x4xf32>) -> tensor<1x5xf32>
  %1 = graph.add %0, %residual : tensor<1x5xf32>
  %2 = graph.linear %y, %w : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
  %3 = graph.add %2, %rows : (tensor<3x5xf32>, tensor<3x1xf32>) -> tensor<3x5xf32>
  %4 = graph.linear %x, %w : (tensor<1x4xf32>, tensor<5x4xf32>) -> tensor<1x5xf32>
  %5 = graph.add %4, %many : (tensor<1x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %1, %3, %5 : tensor<1x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>
}

// -----

// A matrix that is computed, a batch of constants, a transposed input, and a
// product that is wider than its operands.
// CHECK-LABEL: func.func @no_linear
// CHECK-COUNT-4: graph.matmul
// CHECK-NOT: graph.linear
func.func @no_linear(%x: tensor<2x3x4xf32>, %w: tensor<4x5xf32>, %t: tensor<4x3xf32>, %h: tensor<3x4xf16>)
    -> (tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>) {
  %c = graph.constant dense<2.0> : tensor<4x5xf32>
  %batch = graph.constant dense<2.0> : tensor<2x4x5xf32>
  %half = graph.constant dense<2.0> : tensor<4x5xf16>
  %0 = graph.matmul %x, %w : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> tensor<2x3x5xf32>
  %1 = graph.matmul %x, %batch : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %2 = graph.matmul %t, %c {transpose_lhs} : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %3 = graph.matmul %h, %half : (tensor<3x4xf16>, tensor<4x5xf16>) -> tensor<3x5xf32>
  return %0, %1, %2, %3 : tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>
}

// -----

// A bias of zeros is none, of either sign; not where one element differs.
// CHECK-LABEL: func.func @zeros
// CHECK-DAG:   %[[W:.+]] = graph.constant @w
// CHECK-DAG:   %[[B:.+]] = graph.constant dense<[0.000000e+00, 1.000000e+00]>
// CHECK-DAG:   graph.linear %arg0, %[[W]] : (tensor<3x4xf32>, tensor<2x4xf32>) -> tensor<3x2xf32>
// CHECK-DAG:   graph.linear %arg0, %[[W]], %[[B]]
func.func @zeros(%x: tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %w = graph.constant @w : tensor<2x4xf32>
  %zeros = graph.constant dense<[0.0, -0.0]> : tensor<2xf32>
  %other = graph.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %0 = graph.linear %x, %w, %zeros : (tensor<3x4xf32>, tensor<2x4xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  %1 = graph.linear %x, %w, %other : (tensor<3x4xf32>, tensor<2x4xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  return %0, %1 : tensor<3x2xf32>, tensor<3x2xf32>
}
