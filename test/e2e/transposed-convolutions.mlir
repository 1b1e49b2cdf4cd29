// Transposed convolutions by constant filters, which are compiled as convolutions.
//
// RUN: minic --compile-to=simplify %s -o - | FileCheck %s
// RUN: %check-model %s %t.minic --threads=2
//
// CHECK-NOT: conv_transpose2d

// A kernel of the stride's size: a product for each pixel.
func.func @stride(%x: tensor<2x2x3x4xf32>, %b: tensor<3xf32>) -> tensor<2x3x6x8xf32> {
  %w = graph.constant dense<[[[[0.0, 1.625], [-3.625, 3.375]], [[-0.125, -3.25], [-1.5, -2.25]], [[1.875, 3.5], [-0.125, 2.0]]], [[[-2.375, -0.125], [-3.875, -0.625]], [[2.5, 0.375], [-1.125, 2.125]], [[-1.5, -2.875], [-1.875, 3.0]]]]> : tensor<2x3x2x2xf32>
  %0 = graph.conv_transpose2d %x, %w, %b {layout = "nchw", groups = 1 : i64, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, output_pads = array<i64: 0, 0>} : (tensor<2x2x3x4xf32>, tensor<2x3x2x2xf32>, tensor<3xf32>) -> tensor<2x3x6x8xf32>
  return %0 : tensor<2x3x6x8xf32>
}

// Windows overlap; one row and column more.
func.func @overlap(%x: tensor<2x3x4x3xf32>, %b: tensor<2xf32>) -> tensor<2x2x8x6xf32> {
  %w = graph.constant dense<[[[[-2.0, -2.0, -4.0], [-4.0, -0.75, -0.625], [-1.375, -1.375, 0.625]], [[1.0, -0.875, -0.75], [-1.125, -0.875, 2.125], [0.75, -3.75, 1.75]]], [[[2.625, -1.375, -1.75], [0.125, -3.0, 1.25], [0.75, -4.0, 1.375]], [[-3.0, 0.875, 1.625], [0.875, 3.625, 1.0], [-1.125, 3.625, 3.5]]], [[[-1.25, -3.125, 0.0], [-3.75, 1.625, 2.375], [-3.75, 2.625, 1.75]], [[2.0, -3.875, 3.125], [-3.375, -1.125, -0.875], [-2.125, -0.125, 3.375]]]]> : tensor<3x2x3x3xf32>
  %0 = graph.conv_transpose2d %x, %w, %b {layout = "nchw", groups = 1 : i64, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, output_pads = array<i64: 1, 1>} : (tensor<2x3x4x3xf32>, tensor<3x2x3x3xf32>, tensor<2xf32>) -> tensor<2x2x8x6xf32>
  return %0 : tensor<2x2x8x6xf32>
}

func.func @channels_last(%x: tensor<2x4x3x3xf32>) -> tensor<2x8x6x5xf32> {
  %w = graph.constant dense<[[[[1.5, 1.625, 0.0, 3.375], [-2.375, 1.875, 0.625, -3.5], [2.875, -2.625, -0.75, 1.375], [1.75, -1.75, 1.375, 0.375]], [[-2.625, 0.875, 1.0, 0.875], [-1.25, -2.75, -1.625, 0.875], [3.625, -1.5, -3.25, -2.75], [2.375, -3.5, -0.25, 1.5]], [[0.0, 3.25, 2.625, -1.75], [-3.125, -3.5, 3.875, 1.25], [-0.75, -2.0, -2.0, 2.5], [-2.375, -1.375, 2.875, 1.875]], [[-1.625, -3.125, 2.625, 0.625], [-1.75, 3.25, -1.375, 3.25], [3.75, 1.0, 3.625, 0.375], [0.625, 3.5, 2.375, -1.75]], [[-2.25, 2.0, -1.25, 3.875], [1.375, -1.125, -2.625, 3.75], [0.25, 4.0, 1.75, -3.0], [1.625, -3.5, 0.875, 1.75]]], [[[0.375, 3.75, 0.125, 0.625], [1.375, -1.25, -3.875, 3.5], [0.0, 1.125, 0.375, 3.375], [0.5, 4.0, 1.625, 1.5]], [[0.375, 1.5, 2.5, 1.5], [-1.25, 3.125, 1.75, 1.25], [-1.75, -1.375, -0.875, 1.75], [3.625, 0.5, -2.75, 2.625]], [[-1.375, 2.625, 0.75, 0.25], [-3.625, -0.875, -1.5, 3.0], [-1.125, -0.5, -1.125, -3.375], [3.5, -0.5, -1.375, -3.25]], [[-1.875, -2.25, 1.0, -1.125], [3.625, -1.0, -3.5, 2.625], [3.375, 1.5, 2.0, -2.875], [-0.75, -0.25, 1.875, -4.0]], [[1.5, 2.375, 0.375, 2.5], [-2.25, 1.875, -3.5, 0.75], [-2.5, 0.625, 1.375, 0.625], [1.625, -2.0, 2.625, 2.5]]], [[[1.875, 3.375, -1.75, -1.5], [2.0, 3.625, -0.875, -1.875], [-2.625, 1.5, -4.0, 2.0], [-2.375, 1.125, -1.75, 1.125]], [[2.0, 2.75, 2.875, -0.5], [3.875, 0.625, 3.625, 2.0], [2.125, -1.5, 0.125, 0.75], [3.875, 0.0, 2.625, -3.75]], [[1.0, 0.875, 3.75, 0.5], [-1.75, 3.625, -3.625, -2.125], [3.0, -0.125, 0.625, -3.375], [-1.875, 2.25, -3.875, 3.625]], [[0.375, -0.125, 3.5, -3.5], [-0.125, 3.75, 0.25, -1.625], [0.5, 0.625, 3.875, 3.5], [-2.125, -3.75, -2.0, 0.75]], [[0.5, 1.375, 0.625, -3.625], [3.375, 1.5, 1.75, -2.0], [-3.5, -4.0, 0.0, 3.25], [-2.375, -1.0, -3.875, 2.75]]]]> : tensor<3x5x4x4xf32>
  %0 = graph.conv_transpose2d %x, %w {layout = "nhwc", groups = 1 : i64, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, output_pads = array<i64: 0, 0>} : (tensor<2x4x3x3xf32>, tensor<3x5x4x4xf32>) -> tensor<2x8x6x5xf32>
  return %0 : tensor<2x8x6x5xf32>
}

func.func @grouped(%x: tensor<2x4x2x5xf32>, %b: tensor<4xf32>) -> tensor<2x4x7x10xf32> {
  %w = graph.constant dense<[[[[2.75, 3.625, 2.125], [3.5, 2.25, -0.875]], [[0.625, 3.375, -3.0], [0.75, -4.0, 2.875]]], [[[0.5, 3.5, 0.875], [-1.75, -1.375, 3.625]], [[3.875, 1.25, -1.625], [2.75, -3.25, -3.0]]], [[[-0.375, 0.25, -2.75], [-3.0, -3.625, 1.25]], [[2.75, -3.0, 2.375], [3.75, -3.25, -2.125]]], [[[-2.125, -0.5, -2.25], [-1.875, 0.625, 3.0]], [[-1.625, -1.125, -1.125], [2.5, -1.5, -3.0]]]]> : tensor<4x2x2x3xf32>
  %0 = graph.conv_transpose2d %x, %w, %b {layout = "nchw", groups = 2 : i64, strides = array<i64: 3, 2>, pads = array<i64: 0, 1, 0, 0>, dilations = array<i64: 1, 1>, output_pads = array<i64: 2, 0>} : (tensor<2x4x2x5xf32>, tensor<4x2x2x3xf32>, tensor<4xf32>) -> tensor<2x4x7x10xf32>
  return %0 : tensor<2x4x7x10xf32>
}

func.func @grouped_last(%x: tensor<2x2x5x4xf32>) -> tensor<2x7x10x4xf32> {
  %w = graph.constant dense<[[[[-0.625, -3.375, -2.375], [2.0, -2.875, 0.375]], [[-3.125, -2.125, 2.375], [-1.875, -3.875, 2.875]]], [[[-2.625, 1.0, 3.75], [3.75, 1.625, 1.875]], [[-3.125, -1.875, 0.625], [-1.625, 4.0, 0.625]]], [[[-0.5, 0.125, -3.0], [-0.25, 0.0, 0.5]], [[-1.875, -0.25, 1.875], [3.25, 2.125, -1.25]]], [[[-2.0, -3.75, 1.375], [-2.75, -3.5, -2.625]], [[-2.125, 4.0, 3.25], [-0.25, 2.125, 3.375]]]]> : tensor<4x2x2x3xf32>
  %0 = graph.conv_transpose2d %x, %w {layout = "nhwc", groups = 2 : i64, strides = array<i64: 3, 2>, pads = array<i64: 0, 1, 0, 0>, dilations = array<i64: 1, 1>, output_pads = array<i64: 2, 0>} : (tensor<2x2x5x4xf32>, tensor<4x2x2x3xf32>) -> tensor<2x7x10x4xf32>
  return %0 : tensor<2x7x10x4xf32>
}

// No strides.
func.func @plain(%x: tensor<2x2x3x3xf32>) -> tensor<2x2x2x3xf32> {
  %w = graph.constant dense<[[[[3.625, 1.125], [-2.375, -3.625], [2.125, -3.25]], [[-1.625, 2.75], [-0.5, -2.25], [-2.75, 3.75]]], [[[-0.625, -1.875], [2.0, 1.625], [-0.25, 0.625]], [[1.25, 1.5], [2.125, 2.0], [-1.875, 1.625]]]]> : tensor<2x2x3x2xf32>
  %0 = graph.conv_transpose2d %x, %w {layout = "nchw", groups = 1 : i64, strides = array<i64: 1, 1>, pads = array<i64: 2, 0, 1, 1>, dilations = array<i64: 1, 1>, output_pads = array<i64: 0, 0>} : (tensor<2x2x3x3xf32>, tensor<2x2x3x2xf32>) -> tensor<2x2x2x3xf32>
  return %0 : tensor<2x2x2x3xf32>
}

// Taps apart, with and without a stride.
func.func @dilated(%x: tensor<2x4x4x2xf32>) -> tensor<2x5x12x2xf32> {
  %w = graph.constant dense<[[[[0.625, 2.875, 1.75], [-3.5, -0.625, -1.125]], [[2.25, -3.0, -2.5], [-3.5, -3.5, -1.125]]], [[[-0.875, -0.875, -3.375], [3.75, 3.625, 1.5]], [[-4.0, 2.75, 3.5], [0.75, 2.75, 1.125]]]]> : tensor<2x2x2x3xf32>
  %0 = graph.conv_transpose2d %x, %w {layout = "nhwc", groups = 1 : i64, strides = array<i64: 1, 3>, pads = array<i64: 1, 2, 0, 1>, dilations = array<i64: 2, 2>, output_pads = array<i64: 0, 1>} : (tensor<2x4x4x2xf32>, tensor<2x2x2x3xf32>) -> tensor<2x5x12x2xf32>
  return %0 : tensor<2x5x12x2xf32>
}

// A stride longer than the filter leaves gaps.
func.func @narrow(%x: tensor<2x2x3x3xf32>, %b: tensor<2xf32>) -> tensor<2x2x7x8xf32> {
  %w = graph.constant dense<[[[[3.375, 3.375]], [[-2.5, -1.0]]], [[[-1.625, -1.5]], [[-2.875, 1.875]]]]> : tensor<2x2x1x2xf32>
  %0 = graph.conv_transpose2d %x, %w, %b {layout = "nchw", groups = 1 : i64, strides = array<i64: 3, 3>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, output_pads = array<i64: 0, 0>} : (tensor<2x2x3x3xf32>, tensor<2x2x1x2xf32>, tensor<2xf32>) -> tensor<2x2x7x8xf32>
  return %0 : tensor<2x2x7x8xf32>
}

// More pads than the filter is long.
func.func @padded(%x: tensor<2x2x5x4xf32>) -> tensor<2x2x4x1xf32> {
  %w = graph.constant dense<[[[[2.125, 3.5], [-1.625, 0.0]], [[-2.25, 0.375], [-1.5, 0.5]]], [[[-0.25, -3.5], [3.625, -3.5]], [[1.5, 1.875], [1.0, -3.125]]]]> : tensor<2x2x2x2xf32>
  %0 = graph.conv_transpose2d %x, %w {layout = "nchw", groups = 1 : i64, strides = array<i64: 2, 2>, pads = array<i64: 5, 3, 1, 4>, dilations = array<i64: 1, 1>, output_pads = array<i64: 0, 0>} : (tensor<2x2x5x4xf32>, tensor<2x2x2x2xf32>) -> tensor<2x2x4x1xf32>
  return %0 : tensor<2x2x4x1xf32>
}
