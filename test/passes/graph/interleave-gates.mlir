// RUN: minic-opt %s --split-input-file --graph-interleave-gates | FileCheck %s
// RUN: minic-opt %s --split-input-file --graph-interleave-gates --graph-fold-constants --kernel-fuse | FileCheck %s --check-prefix=FUSE

// Columns of gate and value take turns; the product's kernel has the unit.
// CHECK-LABEL: func.func @swiglu
// CHECK-SAME: %[[X:.+]]: tensor<3x2xf32>
// CHECK-DAG:  %[[G:.+]] = graph.reshape %{{.+}} : tensor<2x2xf32> to tensor<2x1x2xf32>
// CHECK-DAG:  %[[V:.+]] = graph.reshape %{{.+}} : tensor<2x2xf32> to tensor<2x1x2xf32>
// CHECK:      %[[BOTH:.+]] = graph.concat %[[G]], %[[V]] axis = 1
// CHECK:      %[[W:.+]] = graph.reshape %[[BOTH]] : tensor<2x2x2xf32> to tensor<4x2xf32>
// CHECK:      %[[ALL:.+]] = graph.linear %[[X]], %[[W]], %{{.+}} -> tensor<3x4xf32>
// CHECK-DAG:  %[[GATE:.+]] = graph.slice %[[ALL]] [0, 0] to [3, 4] by [1, 2]
// CHECK-DAG:  %[[VALUE:.+]] = graph.slice %[[ALL]] [0, 1] to [3, 4] by [1, 2]
// CHECK:      %[[S:.+]] = graph.silu %[[GATE]]
// CHECK:      graph.mul %[[S]], %[[VALUE]]
// CHECK-NOT:  graph.linear

// The value's missing bias is 0.
// FUSE-LABEL: func.func @swiglu
// FUSE-DAG:   graph.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00], [5.000000e+00, 6.000000e+00], [3.000000e+00, 4.000000e+00], [7.000000e+00, 8.000000e+00]]>
// FUSE-DAG:   graph.constant dense<[2.500000e-01, 0.000000e+00, 5.000000e-01, 0.000000e+00]>
// FUSE:       kernel.fusion
// FUSE-NEXT:  graph.linear
// FUSE-NEXT:  graph.slice
// FUSE:       graph.slice
// FUSE:       graph.mul
// FUSE-NEXT:  kernel.yield {{.*}} : tensor<3x2xf32>
// FUSE-NOT:   kernel.fusion
func.func @swiglu(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %wg = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %wv = graph.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32>
  %b = graph.constant dense<[0.25, 0.5]> : tensor<2xf32>
  %g = graph.linear %x, %wg, %b : (tensor<3x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  %v = graph.linear %x, %wv : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %s = graph.silu %g : tensor<3x2xf32>
  %0 = graph.mul %s, %v : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

// Columns of a right operand that is not transposed; the value comes first.
// CHECK-LABEL: func.func @matmul
// CHECK:      graph.concat %{{.+}}, %{{.+}} axis = 2
// CHECK:      %[[ALL:.+]] = graph.matmul {{.*}} -> tensor<2x3x4xf32>
// CHECK:      graph.slice %[[ALL]] [0, 0, 0] to [2, 3, 4] by [1, 1, 2]
// CHECK:      %[[ODD:.+]] = graph.slice %[[ALL]] [0, 0, 1] to [2, 3, 4] by [1, 1, 2]
// CHECK:      graph.gelu %[[ODD]]
// FUSE-LABEL: func.func @matmul
// FUSE-DAG:   graph.constant dense<{{\[\[}}5.000000e+00, 1.000000e+00, 6.000000e+00, 2.000000e+00], [7.000000e+00, 3.000000e+00, 8.000000e+00, 4.000000e+00]]>
func.func @matmul(%x: tensor<2x3x2xf32>) -> tensor<2x3x2xf32> {
  %wg = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %wv = graph.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32>
  %v = graph.matmul %x, %wv : (tensor<2x3x2xf32>, tensor<2x2xf32>) -> tensor<2x3x2xf32>
  %g = graph.matmul %x, %wg : (tensor<2x3x2xf32>, tensor<2x2xf32>) -> tensor<2x3x2xf32>
  %s = graph.gelu %g : tensor<2x3x2xf32>
  %0 = graph.mul %v, %s : (tensor<2x3x2xf32>, tensor<2x3x2xf32>) -> tensor<2x3x2xf32>
  return %0 : tensor<2x3x2xf32>
}

// -----

// Another reads the gate: it would have to be copied.
// CHECK-LABEL: func.func @read_elsewhere
// CHECK-COUNT-2: graph.linear {{.*}} -> tensor<3x2xf32>
func.func @read_elsewhere(%x: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %wg = graph.constant dense<1.0> : tensor<2x2xf32>
  %wv = graph.constant dense<2.0> : tensor<2x2xf32>
  %g = graph.linear %x, %wg : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %v = graph.linear %x, %wv : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %0 = graph.mul %g, %v : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %0, %g : tensor<3x2xf32>, tensor<3x2xf32>
}

// -----

// Values that do not meet, and of other sizes.
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-3: graph.linear
func.func @apart(%x: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x1xf32>) {
  %w0 = graph.constant dense<1.0> : tensor<2x2xf32>
  %w1 = graph.constant dense<2.0> : tensor<2x2xf32>
  %w2 = graph.constant dense<2.0> : tensor<1x2xf32>
  %0 = graph.linear %x, %w0 : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %1 = graph.linear %x, %w1 : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %2 = graph.linear %x, %w2 : (tensor<3x2xf32>, tensor<1x2xf32>) -> tensor<3x1xf32>
  %3 = graph.silu %0 : tensor<3x2xf32>
  return %3, %1, %2 : tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x1xf32>
}

// -----

// Weights of the caller's are not moved.
// CHECK-LABEL: func.func @unknown
// CHECK-COUNT-2: graph.linear {{.*}} -> tensor<3x2xf32>
func.func @unknown(%x: tensor<3x2xf32>, %wg: tensor<2x2xf32>) -> tensor<3x2xf32> {
  %wv = graph.constant dense<2.0> : tensor<2x2xf32>
  %g = graph.linear %x, %wg : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %v = graph.linear %x, %wv : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %0 = graph.mul %g, %v : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
