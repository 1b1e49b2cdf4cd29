// RUN: minic-opt %s --graph-turn-convolutions | FileCheck %s

// Each phase of a stride is as many channels; its one tap has no neighbours.
// CHECK-LABEL: func @strided
func.func @strided(%x: tensor<1x8x4x5xf32>, %b: tensor<3xf32>) -> tensor<1x3x8x10xf32> {
  // CHECK-DAG: %[[BIAS:.+]] = graph.reshape %{{.+}} : tensor<3x4xf32> to tensor<12xf32>
  // CHECK-DAG: %[[FILTER:.+]] = graph.reshape %{{.+}} to tensor<12x8x1x1xf32>
  // CHECK: %[[PHASES:.+]] = graph.conv2d %arg0, %[[FILTER]], %[[BIAS]] : (tensor<1x8x4x5xf32>, tensor<12x8x1x1xf32>, tensor<12xf32>) -> tensor<1x12x4x5xf32>
  // CHECK: %[[APART:.+]] = graph.reshape %[[PHASES]] : tensor<1x12x4x5xf32> to tensor<1x3x2x2x4x5xf32>
  // CHECK: %[[BETWEEN:.+]] = graph.transpose %[[APART]] [0, 1, 4, 2, 5, 3]
  // CHECK: graph.reshape %[[BETWEEN]] : tensor<1x3x4x2x5x2xf32> to tensor<1x3x8x10xf32>
  %w = graph.constant dense<0.5> : tensor<8x3x2x2xf32>
  %0 = graph.conv_transpose2d %x, %w, %b {strides = array<i64: 2, 2>} : (tensor<1x8x4x5xf32>, tensor<8x3x2x2xf32>, tensor<3xf32>) -> tensor<1x3x8x10xf32>
  return %0 : tensor<1x3x8x10xf32>
}

// Pixels stay whole. Three taps are two for each phase; what the pad leaves out
// is sliced away.
// CHECK-LABEL: func @channels_last
func.func @channels_last(%x: tensor<1x4x4x8xf32>) -> tensor<1x7x7x6xf32> {
  // CHECK: %[[PHASES:.+]] = graph.conv2d %arg0, %{{.+}} {layout = "nhwc", pads = array<i64: 1, 1, 0, 0>} : (tensor<1x4x4x8xf32>, tensor<24x8x2x2xf32>) -> tensor<1x4x4x24xf32>
  // CHECK: graph.transpose %{{.+}} [0, 1, 3, 2, 4, 5] : tensor<1x4x4x2x2x6xf32>
  // CHECK: graph.slice %{{.+}} [0, 1, 1, 0] to [1, 8, 8, 6] by [1, 1, 1, 1]
  %w = graph.constant dense<0.5> : tensor<8x6x3x3xf32>
  %0 = graph.conv_transpose2d %x, %w {layout = "nhwc", strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x4x4x8xf32>, tensor<8x6x3x3xf32>) -> tensor<1x7x7x6xf32>
  return %0 : tensor<1x7x7x6xf32>
}

// Without strides it is the convolution by the turned filter.
// CHECK-LABEL: func @plain
func.func @plain(%x: tensor<1x4x5x5xf32>) -> tensor<1x6x9x9xf32> {
  // CHECK: graph.conv2d %arg0, %{{.+}} {dilations = array<i64: 2, 2>, groups = 2 : i64, pads = array<i64: 4, 4, 4, 4>} : (tensor<1x4x5x5xf32>, tensor<6x2x3x3xf32>) -> tensor<1x6x9x9xf32>
  // CHECK-NEXT: return
  %w = graph.constant dense<0.5> : tensor<4x3x3x3xf32>
  %0 = graph.conv_transpose2d %x, %w {groups = 2 : i64, dilations = array<i64: 2, 2>} : (tensor<1x4x5x5xf32>, tensor<4x3x3x3xf32>) -> tensor<1x6x9x9xf32>
  return %0 : tensor<1x6x9x9xf32>
}

// A filter that is computed would be turned in every run.
// CHECK-LABEL: func @computed
func.func @computed(%x: tensor<1x4x5x5xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x3x7x7xf32> {
  // CHECK: graph.conv_transpose2d
  %0 = graph.conv_transpose2d %x, %w : (tensor<1x4x5x5xf32>, tensor<4x3x3x3xf32>) -> tensor<1x3x7x7xf32>
  return %0 : tensor<1x3x7x7xf32>
}
