// RUN: minic-opt %s --split-input-file --graph-merge-linears | FileCheck %s
// RUN: minic-opt %s --split-input-file --graph-merge-linears="always" | FileCheck %s --check-prefix=ALWAYS
// RUN: minic-opt %s --split-input-file --graph-merge-linears --graph-fold-constants | FileCheck %s --check-prefix=FOLD

// Query, key and value of one input: each is transposed, which reads a part of
// a wider result as well. A missing bias is 0.
// CHECK-LABEL: func.func @heads
// CHECK-SAME: %[[X:.+]]: tensor<3x4xf32>
// CHECK-DAG:  %[[W:.+]] = graph.concat %{{.+}}, %{{.+}} axis = 0 : {{.*}} -> tensor<6x4xf32>
// CHECK-DAG:  %[[ZERO:.+]] = graph.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-DAG:  %[[B:.+]] = graph.concat %{{.+}}, %[[ZERO]] axis = 0 : {{.*}} -> tensor<6xf32>
// CHECK:      %[[ALL:.+]] = graph.linear %[[X]], %[[W]], %[[B]] : {{.*}} -> tensor<3x6xf32>
// CHECK-NEXT: %[[Q:.+]] = graph.slice %[[ALL]] [0, 0] to [3, 2] by [1, 1]
// CHECK-NEXT: %[[K:.+]] = graph.slice %[[ALL]] [0, 2] to [3, 6] by [1, 1]
// CHECK-NOT:  graph.linear
// CHECK-DAG:  graph.transpose %[[Q]]
// CHECK-DAG:  graph.transpose %[[K]]

// The constants become one.
// FOLD-LABEL: func.func @heads
// FOLD-DAG:   graph.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00], [5.000000e+00, {{.*}}], [9.000000e+00
// FOLD-DAG:   graph.constant dense<[2.500000e-01, 5.000000e-01, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00]> : tensor<6xf32>
// FOLD-NOT:   graph.concat
func.func @heads(%x: tensor<3x4xf32>) -> (tensor<2x3xf32>, tensor<4x3xf32>) {
  %wq = graph.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>
  %bq = graph.constant dense<[0.25, 0.5]> : tensor<2xf32>
  %q = graph.linear %x, %wq, %bq : (tensor<3x4xf32>, tensor<2x4xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  %wk = graph.constant dense<9.0> : tensor<4x4xf32>
  %k = graph.linear %x, %wk : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
  %0 = graph.transpose %q [1, 0] : tensor<3x2xf32> -> tensor<2x3xf32>
  %1 = graph.transpose %k [1, 0] : tensor<3x4xf32> -> tensor<4x3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<4x3xf32>
}

// -----

// Columns of a matrix that is not transposed stand side by side.
// CHECK-LABEL: func.func @matmul
// CHECK:      %[[W:.+]] = graph.concat %{{.+}}, %{{.+}} axis = 1 : {{.*}} -> tensor<4x5xf32>
// CHECK:      graph.matmul %{{.+}}, %[[W]] : {{.*}} -> tensor<2x3x5xf32>
// CHECK-NOT:  graph.matmul
// FOLD-LABEL: func.func @matmul
// FOLD:       dense<{{\[\[}}1.000000e+00, 2.000000e+00, 9.000000e+00, 9.000000e+00, 9.000000e+00], [3.000000e+00, 4.000000e+00, 9.000000e+00
func.func @matmul(%x: tensor<2x3x4xf32>) -> (tensor<3x2x2xf32>, tensor<3x2x3xf32>) {
  %wq = graph.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %wk = graph.constant dense<9.0> : tensor<4x3xf32>
  %q = graph.matmul %x, %wq : (tensor<2x3x4xf32>, tensor<4x2xf32>) -> tensor<2x3x2xf32>
  %k = graph.matmul %x, %wk : (tensor<2x3x4xf32>, tensor<4x3xf32>) -> tensor<2x3x3xf32>
  %0 = graph.transpose %q [1, 0, 2] : tensor<2x3x2xf32> -> tensor<3x2x2xf32>
  %1 = graph.transpose %k [1, 0, 2] : tensor<2x3x3xf32> -> tensor<3x2x3xf32>
  return %0, %1 : tensor<3x2x2xf32>, tensor<3x2x3xf32>
}

// -----

// A gated MLP: the kernel of each product computes what reads it, which it
// could not as a part of another.
// CHECK-LABEL: func.func @gate
// CHECK-COUNT-2: graph.linear
// ALWAYS-LABEL: func.func @gate
// ALWAYS:     graph.linear {{.*}} -> tensor<3x32xf32>
// ALWAYS-NOT: graph.linear
func.func @gate(%x: tensor<3x4xf32>) -> tensor<3x16xf32> {
  %wg = graph.constant dense<1.0> : tensor<16x4xf32>
  %wu = graph.constant dense<2.0> : tensor<16x4xf32>
  %g = graph.linear %x, %wg : (tensor<3x4xf32>, tensor<16x4xf32>) -> tensor<3x16xf32>
  %u = graph.linear %x, %wu : (tensor<3x4xf32>, tensor<16x4xf32>) -> tensor<3x16xf32>
  %s = graph.silu %g : tensor<3x16xf32>
  %0 = graph.mul %s, %u : (tensor<3x16xf32>, tensor<3x16xf32>) -> tensor<3x16xf32>
  return %0 : tensor<3x16xf32>
}

// -----

// A result that leaves the function as it is would have to be copied. The others
// are merged.
// CHECK-LABEL: func.func @some
// ALWAYS-LABEL: func.func @some
// CHECK:      graph.linear {{.*}} -> tensor<3x4xf32>
// CHECK-NEXT: graph.slice
// CHECK-NEXT: graph.slice
// CHECK:      graph.linear {{.*}} -> tensor<3x2xf32>
func.func @some(%x: tensor<3x4xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x2xf32>) {
  %w0 = graph.constant dense<1.0> : tensor<2x4xf32>
  %w1 = graph.constant dense<2.0> : tensor<2x4xf32>
  %w2 = graph.constant dense<3.0> : tensor<2x4xf32>
  %0 = graph.linear %x, %w0 : (tensor<3x4xf32>, tensor<2x4xf32>) -> tensor<3x2xf32>
  %1 = graph.linear %x, %w1 : (tensor<3x4xf32>, tensor<2x4xf32>) -> tensor<3x2xf32>
  %2 = graph.linear %x, %w2 : (tensor<3x4xf32>, tensor<2x4xf32>) -> tensor<3x2xf32>
  %3 = graph.transpose %0 [1, 0] : tensor<3x2xf32> -> tensor<2x3xf32>
  %4 = graph.transpose %1 [1, 0] : tensor<3x2xf32> -> tensor<2x3xf32>
  return %3, %4, %2 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x2xf32>
}

// -----

// Parts of one row are dense: a view, which anybody may read. The second one
// begins at byte 64.
// CHECK-LABEL: func.func @one_row
// CHECK:      %[[ALL:.+]] = graph.linear {{.*}} -> tensor<1x32xf32>
// CHECK-NOT:  graph.linear
func.func @one_row(%x: tensor<1x4xf32>) -> (tensor<1x16xf32>, tensor<1x16xf32>) {
  %w0 = graph.constant dense<1.0> : tensor<16x4xf32>
  %w1 = graph.constant dense<2.0> : tensor<16x4xf32>
  %0 = graph.linear %x, %w0 : (tensor<1x4xf32>, tensor<16x4xf32>) -> tensor<1x16xf32>
  %1 = graph.linear %x, %w1 : (tensor<1x4xf32>, tensor<16x4xf32>) -> tensor<1x16xf32>
  return %0, %1 : tensor<1x16xf32>, tensor<1x16xf32>
}

// -----

// Not merged: other inputs, a matrix that is computed, one that comes later, a
// product whose result is wider than its operands.
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-3: graph.linear
// CHECK-COUNT-2: graph.matmul
// ALWAYS-LABEL: func.func @apart
// ALWAYS-COUNT-3: graph.linear
// ALWAYS-COUNT-2: graph.matmul
func.func @apart(%x: tensor<4x4xf16>, %y: tensor<4x4xf16>) -> (tensor<4x4xf16>, tensor<4x4xf16>, tensor<4x4xf16>, tensor<4x4xf16>, tensor<4x4xf32>) {
  %w = graph.constant dense<1.0> : tensor<4x4xf16>
  %later = graph.constant @later : tensor<4x4xf16>
  %0 = graph.linear %x, %w : (tensor<4x4xf16>, tensor<4x4xf16>) -> tensor<4x4xf16>
  %1 = graph.linear %y, %w : (tensor<4x4xf16>, tensor<4x4xf16>) -> tensor<4x4xf16>
  %2 = graph.linear %x, %later : (tensor<4x4xf16>, tensor<4x4xf16>) -> tensor<4x4xf16>
  %3 = graph.matmul %x, %w : (tensor<4x4xf16>, tensor<4x4xf16>) -> tensor<4x4xf16>
  %4 = graph.matmul %x, %w : (tensor<4x4xf16>, tensor<4x4xf16>) -> tensor<4x4xf32>
  return %0, %1, %2, %3, %4 : tensor<4x4xf16>, tensor<4x4xf16>, tensor<4x4xf16>, tensor<4x4xf16>, tensor<4x4xf32>
}
