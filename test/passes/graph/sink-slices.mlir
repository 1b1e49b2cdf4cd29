// RUN: minic-opt %s --split-input-file --graph-sink-slices | FileCheck %s

// The key's columns of a product with query, key and value are heads 3 to 6 of
// nine: the transpose behind reads them as strides.
// CHECK-LABEL: func.func @heads
// CHECK-SAME: %[[X:.+]]: tensor<1x7x36xf32>
// CHECK-NEXT: %[[ALL:.+]] = graph.reshape %[[X]] : tensor<1x7x36xf32> to tensor<1x7x9x4xf32>
// CHECK-NEXT: %[[KEY:.+]] = graph.slice %[[ALL]] [0, 0, 3, 0] to [1, 7, 6, 4] by [1, 1, 1, 1]
// CHECK-NEXT: graph.transpose %[[KEY]] [0, 2, 1, 3]
func.func @heads(%x: tensor<1x7x36xf32>) -> tensor<1x3x7x4xf32> {
  %0 = graph.slice %x [0, 0, 12] to [1, 7, 24] by [1, 1, 1] : tensor<1x7x36xf32> -> tensor<1x7x12xf32>
  %1 = graph.reshape %0 : tensor<1x7x12xf32> to tensor<1x7x3x4xf32>
  %2 = graph.transpose %1 [0, 2, 1, 3] : tensor<1x7x3x4xf32> -> tensor<1x3x7x4xf32>
  return %2 : tensor<1x3x7x4xf32>
}

// -----

// Rows in front of the sliced dimension may become one dimension, or several.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: %[[X:.+]]: tensor<2x6x8xf32>
// CHECK-DAG:  %[[FLAT:.+]] = graph.reshape %[[X]] : tensor<2x6x8xf32> to tensor<12x8xf32>
// CHECK-DAG:  graph.slice %[[FLAT]] [0, 4] to [12, 8] by [1, 1]
// CHECK-DAG:  %[[SPLIT:.+]] = graph.reshape %[[X]] : tensor<2x6x8xf32> to tensor<4x3x4x2xf32>
// CHECK-DAG:  graph.slice %[[SPLIT]] [0, 0, 1, 0] to [4, 3, 3, 2] by [1, 1, 1, 1]
func.func @rows(%x: tensor<2x6x8xf32>) -> (tensor<12x4xf32>, tensor<4x3x2x2xf32>) {
  %0 = graph.slice %x [0, 0, 4] to [2, 6, 8] by [1, 1, 1] : tensor<2x6x8xf32> -> tensor<2x6x4xf32>
  %1 = graph.reshape %0 : tensor<2x6x4xf32> to tensor<12x4xf32>
  %2 = graph.slice %x [0, 0, 2] to [2, 6, 6] by [1, 1, 1] : tensor<2x6x8xf32> -> tensor<2x6x4xf32>
  %3 = graph.reshape %2 : tensor<2x6x4xf32> to tensor<4x3x2x2xf32>
  return %1, %3 : tensor<12x4xf32>, tensor<4x3x2x2xf32>
}

// -----

// A dimension in the middle is cut together with those behind it.
// CHECK-LABEL: func.func @middle
// CHECK:      graph.reshape %{{.+}} : tensor<3x6x4xf32> to tensor<3x1x24xf32>
// CHECK-NEXT: graph.slice %{{.+}} [0, 0, 8] to [3, 1, 16] by [1, 1, 1]
func.func @middle(%x: tensor<3x6x4xf32>) -> tensor<3x1x8xf32> {
  %0 = graph.slice %x [0, 2, 0] to [3, 4, 4] by [1, 1, 1] : tensor<3x6x4xf32> -> tensor<3x2x4xf32>
  %1 = graph.reshape %0 : tensor<3x2x4xf32> to tensor<3x1x8xf32>
  return %1 : tensor<3x1x8xf32>
}

// -----

// Left as they are: a first column that is no multiple of a head, a width that
// is none, steps, two sliced dimensions, a dimension of the result with columns
// of several rows, a slice that others read, one that is a view.
// CHECK-LABEL: func.func @left
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x16xf32>
// CHECK-COUNT-7: graph.slice %[[X]]
// CHECK-NOT: graph.slice
func.func @left(%x: tensor<4x16xf32>) -> (tensor<4x2x4xf32>, tensor<4x2x5xf32>, tensor<4x2x4xf32>, tensor<2x2x4xf32>, tensor<2x16xf32>, tensor<4x8xf32>, tensor<4x2x4xf32>, tensor<4x8xf32>) {
  %0 = graph.slice %x [0, 2] to [4, 10] by [1, 1] : tensor<4x16xf32> -> tensor<4x8xf32>
  %1 = graph.reshape %0 : tensor<4x8xf32> to tensor<4x2x4xf32>
  %2 = graph.slice %x [0, 5] to [4, 15] by [1, 1] : tensor<4x16xf32> -> tensor<4x10xf32>
  %3 = graph.reshape %2 : tensor<4x10xf32> to tensor<4x2x5xf32>
  %4 = graph.slice %x [0, 0] to [4, 16] by [1, 2] : tensor<4x16xf32> -> tensor<4x8xf32>
  %5 = graph.reshape %4 : tensor<4x8xf32> to tensor<4x2x4xf32>
  %6 = graph.slice %x [0, 0] to [2, 8] by [1, 1] : tensor<4x16xf32> -> tensor<2x8xf32>
  %7 = graph.reshape %6 : tensor<2x8xf32> to tensor<2x2x4xf32>
  %8 = graph.slice %x [0, 8] to [4, 16] by [1, 1] : tensor<4x16xf32> -> tensor<4x8xf32>
  %9 = graph.reshape %8 : tensor<4x8xf32> to tensor<2x16xf32>
  %10 = graph.slice %x [0, 4] to [4, 12] by [1, 1] : tensor<4x16xf32> -> tensor<4x8xf32>
  %11 = graph.reshape %10 : tensor<4x8xf32> to tensor<4x2x4xf32>
  %12 = graph.slice %x [1, 0] to [3, 16] by [1, 1] : tensor<4x16xf32> -> tensor<2x16xf32>
  %13 = graph.reshape %12 : tensor<2x16xf32> to tensor<4x8xf32>
  return %1, %3, %5, %7, %9, %10, %11, %13 : tensor<4x2x4xf32>, tensor<4x2x5xf32>, tensor<4x2x4xf32>, tensor<2x2x4xf32>, tensor<2x16xf32>, tensor<4x8xf32>, tensor<4x2x4xf32>, tensor<4x8xf32>
}
