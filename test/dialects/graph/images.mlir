// RUN: minic-opt %s | minic-opt | FileCheck %s

func.func @images(%x: tensor<2x8x5x7xf32>, %y: tensor<2x5x7x8xf16>, %w: tensor<8x3x2x2xf32>, %b: tensor<6xf32>) {
  // CHECK: graph.pool2d max, %{{.+}} window = [3, 3] {pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : tensor<2x8x5x7xf32> -> tensor<2x8x3x4xf32>
  %0 = graph.pool2d max, %x window = [3, 3] {pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : tensor<2x8x5x7xf32> -> tensor<2x8x3x4xf32>
  // A window behind the pads of ceil mode is none: 7 columns are 4 windows.
  // CHECK: graph.pool2d average, %{{.+}} window = [2, 2] {ceil_mode, count_pads, layout = "nhwc", strides = array<i64: 2, 2>} : tensor<2x5x7x8xf16> -> tensor<2x3x4x8xf16>
  %1 = graph.pool2d average, %y window = [2, 2] {strides = array<i64: 2, 2>, layout = "nhwc", ceil_mode, count_pads} : tensor<2x5x7x8xf16> -> tensor<2x3x4x8xf16>
  // The third window of 3 would begin at 6, behind 5 rows.
  // CHECK: graph.pool2d sum, %{{.+}} window = [2, 1] {ceil_mode, strides = array<i64: 3, 1>} : tensor<2x8x5x7xf32> -> tensor<2x8x2x7xf32>
  %2 = graph.pool2d sum, %x window = [2, 1] {strides = array<i64: 3, 1>, ceil_mode} : tensor<2x8x5x7xf32> -> tensor<2x8x2x7xf32>
  // CHECK: graph.resize nearest asymmetric, %{{.+}} to [10, 14] : tensor<2x8x5x7xf32> -> tensor<2x8x10x14xf32>
  %3 = graph.resize nearest asymmetric, %x to [10, 14] : tensor<2x8x5x7xf32> -> tensor<2x8x10x14xf32>
  // CHECK: graph.resize bilinear align_corners, %{{.+}} to [3, 14] {layout = "nhwc"} : tensor<2x5x7x8xf16> -> tensor<2x3x14x8xf16>
  %4 = graph.resize bilinear align_corners, %y to [3, 14] {layout = "nhwc"} : tensor<2x5x7x8xf16> -> tensor<2x3x14x8xf16>
  // CHECK: graph.pad %{{.+}} before [0, 0, 4, 1] after [0, 0, 0, 6] {mode = #graph.pad_mode<reflect>} : tensor<2x8x5x7xf32> -> tensor<2x8x9x14xf32>
  %5 = graph.pad %x before [0, 0, 4, 1] after [0, 0, 0, 6] {mode = #graph.pad_mode<reflect>} : tensor<2x8x5x7xf32> -> tensor<2x8x9x14xf32>
  // CHECK: graph.conv_transpose2d %{{.+}}, %{{.+}}, %{{.+}} {groups = 2 : i64, output_pads = array<i64: 1, 0>, strides = array<i64: 2, 2>} : (tensor<2x8x5x7xf32>, tensor<8x3x2x2xf32>, tensor<6xf32>) -> tensor<2x6x11x14xf32>
  %6 = graph.conv_transpose2d %x, %w, %b {groups = 2 : i64, output_pads = array<i64: 1, 0>, strides = array<i64: 2, 2>} : (tensor<2x8x5x7xf32>, tensor<8x3x2x2xf32>, tensor<6xf32>) -> tensor<2x6x11x14xf32>
  return
}

// Sizes that are not known yet.
func.func @dynamic(%x: tensor<?x3x?x8xf32>) {
  // CHECK: graph.pool2d max, %{{.+}} window = [3, 3] : tensor<?x3x?x8xf32> -> tensor<?x3x?x6xf32>
  %0 = graph.pool2d max, %x window = [3, 3] : tensor<?x3x?x8xf32> -> tensor<?x3x?x6xf32>
  // CHECK: graph.resize bilinear half_pixel, %{{.+}} to [4, 4] : tensor<?x3x?x8xf32> -> tensor<?x3x4x4xf32>
  %1 = graph.resize bilinear half_pixel, %x to [4, 4] : tensor<?x3x?x8xf32> -> tensor<?x3x4x4xf32>
  // CHECK: graph.pad %{{.+}} {mode = #graph.pad_mode<edge>} : tensor<?x3x?x8xf32> -> tensor<?x3x?x9xf32>
  %2 = graph.pad %x before [0, 0, 1, 0] after [0, 0, 1, 1] {mode = #graph.pad_mode<edge>} : tensor<?x3x?x8xf32> -> tensor<?x3x?x9xf32>
  return
}
