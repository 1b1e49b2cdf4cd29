// RUN: minic-opt %s --split-input-file --graph-push-transposes | FileCheck %s

// Either operand of a matmul can be read transposed.
// CHECK-LABEL: func.func @into_matmul
// CHECK-SAME: (%[[LHS:.+]]: tensor<2x3x5xf32>, %[[RHS:.+]]: tensor<2x4x3xf32>)
func.func @into_matmul(%a: tensor<2x3x5xf32>, %b: tensor<2x4x3xf32>) -> tensor<2x5x4xf32> {
  // CHECK-NEXT: graph.matmul %[[LHS]], %[[RHS]] {transpose_lhs, transpose_rhs}
  %0 = graph.transpose %a [0, 2, 1] : tensor<2x3x5xf32> -> tensor<2x5x3xf32>
  %1 = graph.transpose %b [0, 2, 1] : tensor<2x4x3xf32> -> tensor<2x3x4xf32>
  %2 = graph.matmul %0, %1 : (tensor<2x5x3xf32>, tensor<2x3x4xf32>) -> tensor<2x5x4xf32>
  return %2 : tensor<2x5x4xf32>
}

// -----

// A transpose on top of transpose_rhs cancels it.
// CHECK-LABEL: func.func @cancels_flag
// CHECK: graph.matmul %{{.+}}, %{{.+}} : (tensor<5x3xf32>, tensor<3x4xf32>)
func.func @cancels_flag(%a: tensor<5x3xf32>, %b: tensor<3x4xf32>) -> tensor<5x4xf32> {
  %0 = graph.transpose %b [1, 0] : tensor<3x4xf32> -> tensor<4x3xf32>
  %1 = graph.matmul %a, %0 {transpose_rhs} : (tensor<5x3xf32>, tensor<4x3xf32>) -> tensor<5x4xf32>
  return %1 : tensor<5x4xf32>
}

// -----

// The transpose of a product is the product of the transposes.
// CHECK-LABEL: func.func @of_matmul
// CHECK-SAME: (%[[LHS:.+]]: tensor<5x3xf32>, %[[RHS:.+]]: tensor<3x4xf32>)
// CHECK-NEXT: graph.matmul %[[RHS]], %[[LHS]] {transpose_lhs, transpose_rhs} {{.*}} -> tensor<4x5xf32>
func.func @of_matmul(%a: tensor<5x3xf32>, %b: tensor<3x4xf32>) -> tensor<4x5xf32> {
  %0 = graph.matmul %a, %b : (tensor<5x3xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
  %1 = graph.transpose %0 [1, 0] : tensor<5x4xf32> -> tensor<4x5xf32>
  return %1 : tensor<4x5xf32>
}

// -----

// A linear with a transposed weight that is computed reads it as a matmul does.
// CHECK-LABEL: func.func @linear
// CHECK-SAME: (%[[X:.+]]: tensor<2x5x3xf32>, %[[W:.+]]: tensor<3x4xf32>, %[[BIAS:.+]]: tensor<4xf32>)
// CHECK-NEXT: %[[PRODUCT:.+]] = graph.matmul %[[X]], %[[W]] :
// CHECK-NEXT: graph.add %[[PRODUCT]], %[[BIAS]]
func.func @linear(%x: tensor<2x5x3xf32>, %w: tensor<3x4xf32>, %b: tensor<4xf32>) -> tensor<2x5x4xf32> {
  %0 = graph.transpose %w [1, 0] : tensor<3x4xf32> -> tensor<4x3xf32>
  %1 = graph.linear %x, %0, %b : (tensor<2x5x3xf32>, tensor<4x3xf32>, tensor<4xf32>) -> tensor<2x5x4xf32>
  return %1 : tensor<2x5x4xf32>
}

// -----

// A transposed matrix input is read transposed; the weight stays as it is.
// CHECK-LABEL: func.func @linear_input
// CHECK-SAME: (%[[X:.+]]: tensor<3x5xf32>, %[[W:.+]]: tensor<4x3xf32>)
// CHECK-NEXT: graph.matmul %[[X]], %[[W]] {transpose_lhs, transpose_rhs}
func.func @linear_input(%x: tensor<3x5xf32>, %w: tensor<4x3xf32>) -> tensor<5x4xf32> {
  %0 = graph.transpose %x [1, 0] : tensor<3x5xf32> -> tensor<5x3xf32>
  %1 = graph.linear %0, %w : (tensor<5x3xf32>, tensor<4x3xf32>) -> tensor<5x4xf32>
  return %1 : tensor<5x4xf32>
}

// -----

// Through pointwise ops a transpose reaches its inverse on one side, a constant
// on the other; what broadcasts along the exchanged dimensions is reshaped.
// CHECK-LABEL: func.func @through_pointwise
// CHECK-SAME: (%[[X:.+]]: tensor<5x3xf32>, %[[ROW:.+]]: tensor<5xf32>)
func.func @through_pointwise(%x: tensor<5x3xf32>, %row: tensor<5xf32>) -> tensor<5x3xf32> {
  // CHECK-DAG: %[[C:.+]] = graph.constant
  // CHECK-DAG: %[[CT:.+]] = graph.transpose %[[C]] [1, 0]
  // CHECK-DAG: %[[COLUMN:.+]] = graph.reshape %[[ROW]] : tensor<5xf32> to tensor<5x1xf32>
  // CHECK-DAG: %[[SUM:.+]] = graph.add %[[X]], %[[CT]] : tensor<5x3xf32>
  // CHECK: %[[SCALED:.+]] = graph.mul %[[SUM]], %[[COLUMN]] :
  // CHECK-NEXT: return %[[SCALED]]
  %c = graph.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0], [1.0, 1.0, 2.0, 2.0, 3.0]]> : tensor<3x5xf32>
  %0 = graph.transpose %x [1, 0] : tensor<5x3xf32> -> tensor<3x5xf32>
  %1 = graph.add %0, %c : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %2 = graph.mul %1, %row : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  %3 = graph.transpose %2 [1, 0] : tensor<3x5xf32> -> tensor<5x3xf32>
  return %3 : tensor<5x3xf32>
}

// -----

// Attributes of the ops that are passed stay.
// CHECK-LABEL: func.func @attributes
// CHECK: graph.clamp %{{.+}} {lower = 0.000000e+00 : f64, upper = 6.000000e+00 : f64} : tensor<5x3xf32>
// CHECK-NOT: graph.transpose
func.func @attributes(%x: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %0 = graph.transpose %x [1, 0] : tensor<5x3xf32> -> tensor<3x5xf32>
  %1 = graph.clamp %0 {lower = 0.0 : f64, upper = 6.0 : f64} : tensor<3x5xf32>
  %2 = graph.transpose %1 [1, 0] : tensor<3x5xf32> -> tensor<5x3xf32>
  return %2 : tensor<5x3xf32>
}

// -----

// It stays where it would only end up at an input, where others use the
// untransposed value, and where a batch dimension moves.
// CHECK-LABEL: func.func @stays
func.func @stays(%x: tensor<5x3xf32>, %y: tensor<2x5x3xf32>, %z: tensor<5x3x4xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<5x3xf32>, tensor<5x2x4xf32>) {
  // CHECK: %[[EXP:.+]] = graph.exp
  // CHECK: graph.transpose %[[EXP]]
  // CHECK: %[[BACK:.+]] = graph.transpose
  // CHECK: %[[RELU:.+]] = graph.relu %[[BACK]]
  // CHECK: graph.transpose %[[RELU]]
  // CHECK: %[[MOVED:.+]] = graph.transpose %{{.+}} [1, 0, 2]
  // CHECK: graph.matmul %[[MOVED]]
  %0 = graph.exp %x : tensor<5x3xf32>
  %1 = graph.transpose %0 [1, 0] : tensor<5x3xf32> -> tensor<3x5xf32>
  %2 = graph.transpose %x [1, 0] : tensor<5x3xf32> -> tensor<3x5xf32>
  %3 = graph.relu %2 : tensor<3x5xf32>
  %4 = graph.transpose %3 [1, 0] : tensor<3x5xf32> -> tensor<5x3xf32>
  %5 = graph.transpose %y [1, 0, 2] : tensor<2x5x3xf32> -> tensor<5x2x3xf32>
  %6 = graph.matmul %5, %z : (tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
  return %1, %3, %4, %6 : tensor<3x5xf32>, tensor<3x5xf32>, tensor<5x3xf32>, tensor<5x2x4xf32>
}

// -----

// A constant weight with a value is folded elsewhere, so that the linear stays.
// CHECK-LABEL: func.func @constant_weight
// CHECK: graph.linear
func.func @constant_weight(%x: tensor<5x3xf32>) -> tensor<5x2xf32> {
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %0 = graph.transpose %w [1, 0] : tensor<3x2xf32> -> tensor<2x3xf32>
  %1 = graph.linear %x, %0 : (tensor<5x3xf32>, tensor<2x3xf32>) -> tensor<5x2xf32>
  return %1 : tensor<5x2xf32>
}

// -----

// NHWC images wrapped around NCHW convolutions become NHWC convolutions: a chain
// with a bias, a side input and a strided layer, and no transpose is left.
// CHECK-LABEL: func.func @convolutions
// CHECK-SAME: (%[[X:.+]]: tensor<2x8x9x3xf32>, %[[W:.+]]: tensor<5x3x3x3xf32>, %[[V:.+]]: tensor<5x1x3x3xf32>, %[[B:.+]]: tensor<5xf32>, %[[Y:.+]]: tensor<2x4x5x5xf32>)
// CHECK-NEXT: %[[FIRST:.+]] = graph.conv2d %[[X]], %[[W]], %[[B]] {layout = "nhwc", pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>}
// CHECK-NEXT: %[[RELU:.+]] = graph.relu %[[FIRST]] : tensor<2x4x5x5xf32>
// CHECK-NEXT: %[[SECOND:.+]] = graph.conv2d %[[RELU]], %[[V]] {groups = 5 : i64, layout = "nhwc", pads = array<i64: 1, 1, 1, 1>}
// CHECK-NEXT: %[[SUM:.+]] = graph.add %[[SECOND]], %[[Y]] : tensor<2x4x5x5xf32>
// CHECK-NEXT: return %[[SUM]]
func.func @convolutions(%x: tensor<2x8x9x3xf32>, %w: tensor<5x3x3x3xf32>, %v: tensor<5x1x3x3xf32>, %b: tensor<5xf32>, %y: tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32> {
  %0 = graph.transpose %x [0, 3, 1, 2] : tensor<2x8x9x3xf32> -> tensor<2x3x8x9xf32>
  %1 = graph.conv2d %0, %w, %b {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>} : (tensor<2x3x8x9xf32>, tensor<5x3x3x3xf32>, tensor<5xf32>) -> tensor<2x5x4x5xf32>
  %2 = graph.relu %1 : tensor<2x5x4x5xf32>
  %3 = graph.conv2d %2, %v {groups = 5 : i64, pads = array<i64: 1, 1, 1, 1>} : (tensor<2x5x4x5xf32>, tensor<5x1x3x3xf32>) -> tensor<2x5x4x5xf32>
  %4 = graph.transpose %y [0, 3, 1, 2] : tensor<2x4x5x5xf32> -> tensor<2x5x4x5xf32>
  %5 = graph.add %3, %4 : (tensor<2x5x4x5xf32>, tensor<2x5x4x5xf32>) -> tensor<2x5x4x5xf32>
  %6 = graph.transpose %5 [0, 2, 3, 1] : tensor<2x5x4x5xf32> -> tensor<2x4x5x5xf32>
  return %6 : tensor<2x4x5x5xf32>
}

// -----

// So do pools, resizes and transposed convolutions between them.
// CHECK-LABEL: func.func @images
// CHECK-SAME: (%[[X:.+]]: tensor<1x8x8x4xf32>, %[[W:.+]]: tensor<4x4x2x2xf32>)
// CHECK-NEXT: %[[POOL:.+]] = graph.pool2d max, %[[X]] window = [2, 2] {layout = "nhwc", strides = array<i64: 2, 2>} : tensor<1x8x8x4xf32> -> tensor<1x4x4x4xf32>
// CHECK-NEXT: %[[UP:.+]] = graph.resize bilinear align_corners, %[[POOL]] to [6, 5] {layout = "nhwc"} : tensor<1x4x4x4xf32> -> tensor<1x6x5x4xf32>
// CHECK-NEXT: %[[RESULT:.+]] = graph.conv_transpose2d %[[UP]], %[[W]] {layout = "nhwc", strides = array<i64: 2, 2>} : (tensor<1x6x5x4xf32>, tensor<4x4x2x2xf32>) -> tensor<1x12x10x4xf32>
// CHECK-NEXT: return %[[RESULT]]
func.func @images(%x: tensor<1x8x8x4xf32>, %w: tensor<4x4x2x2xf32>) -> tensor<1x12x10x4xf32> {
  %0 = graph.transpose %x [0, 3, 1, 2] : tensor<1x8x8x4xf32> -> tensor<1x4x8x8xf32>
  %1 = graph.pool2d max, %0 window = [2, 2] {strides = array<i64: 2, 2>} : tensor<1x4x8x8xf32> -> tensor<1x4x4x4xf32>
  %2 = graph.resize bilinear align_corners, %1 to [6, 5] : tensor<1x4x4x4xf32> -> tensor<1x4x6x5xf32>
  %3 = graph.conv_transpose2d %2, %w {strides = array<i64: 2, 2>} : (tensor<1x4x6x5xf32>, tensor<4x4x2x2xf32>) -> tensor<1x4x12x10xf32>
  %4 = graph.transpose %3 [0, 2, 3, 1] : tensor<1x4x12x10xf32> -> tensor<1x12x10x4xf32>
  return %4 : tensor<1x12x10x4xf32>
}

// -----

// The other way round; a transpose that is not one of layouts stays, and one
// whose counterpart is missing at the input.
// CHECK-LABEL: func.func @convolutions_stay
func.func @convolutions_stay(%x: tensor<2x3x8x9xf32>, %w: tensor<3x3x1x1xf32>) -> (tensor<2x3x8x9xf32>, tensor<2x3x9x8xf32>, tensor<2x8x9x3xf32>) {
  // CHECK: graph.conv2d %{{.+}}, %{{.+}} : (tensor<2x3x8x9xf32>
  // CHECK: %[[STAYS:.+]] = graph.conv2d %{{.+}}, %{{.+}} : (tensor<2x3x8x9xf32>
  // CHECK-NEXT: graph.transpose %[[STAYS]] [0, 1, 3, 2]
  // CHECK: %[[ALONE:.+]] = graph.conv2d %{{.+}}, %{{.+}} : (tensor<2x3x8x9xf32>
  // CHECK-NEXT: graph.transpose %[[ALONE]] [0, 2, 3, 1]
  %0 = graph.transpose %x [0, 2, 3, 1] : tensor<2x3x8x9xf32> -> tensor<2x8x9x3xf32>
  %1 = graph.conv2d %0, %w {layout = "nhwc"} : (tensor<2x8x9x3xf32>, tensor<3x3x1x1xf32>) -> tensor<2x8x9x3xf32>
  %2 = graph.transpose %1 [0, 3, 1, 2] : tensor<2x8x9x3xf32> -> tensor<2x3x8x9xf32>
  %3 = graph.conv2d %x, %w : (tensor<2x3x8x9xf32>, tensor<3x3x1x1xf32>) -> tensor<2x3x8x9xf32>
  %4 = graph.transpose %3 [0, 1, 3, 2] : tensor<2x3x8x9xf32> -> tensor<2x3x9x8xf32>
  %5 = graph.conv2d %x, %w : (tensor<2x3x8x9xf32>, tensor<3x3x1x1xf32>) -> tensor<2x3x8x9xf32>
  %6 = graph.transpose %5 [0, 2, 3, 1] : tensor<2x3x8x9xf32> -> tensor<2x8x9x3xf32>
  return %2, %4, %6 : tensor<2x3x8x9xf32>, tensor<2x3x9x8xf32>, tensor<2x8x9x3xf32>
}
