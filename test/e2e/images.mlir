// Pooling, resizing, padding by what is there, and transposed convolutions.
//
// RUN: %check-model %s %t.minic
// RUN: %check-model %s %t.minic --threads=1 --row-backends=generated
// RUN: minic %s -o %t.minic --threads=1 | FileCheck %s

// ResNet's.
func.func @max_pool(%x: tensor<2x5x17x19xf32>) -> tensor<2x5x9x10xf32> {
  %0 = graph.pool2d max, %x window = [3, 3] {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>} : tensor<2x5x17x19xf32> -> tensor<2x5x9x10xf32>
  return %0 : tensor<2x5x9x10xf32>
}

func.func @max_pool_nhwc(%x: tensor<2x9x7x33xbf16>) -> tensor<2x4x4x33xbf16> {
  %0 = graph.pool2d max, %x window = [2, 3] {layout = "nhwc", strides = array<i64: 2, 2>, pads = array<i64: 0, 1, 0, 1>} : tensor<2x9x7x33xbf16> -> tensor<2x4x4x33xbf16>
  return %0 : tensor<2x4x4x33xbf16>
}

// What is before and behind it is in the same kernel.
// CHECK: @scaled_pool mul_pool2d_relu({{.+}}) f32: generated images tile=
// CHECK-NOT: @scaled_pool
func.func @scaled_pool(%x: tensor<1x3x16x16xf32>, %s: tensor<3x1x1xf32>) -> tensor<1x3x8x8xf32> {
  %0 = graph.mul %x, %s : (tensor<1x3x16x16xf32>, tensor<3x1x1xf32>) -> tensor<1x3x16x16xf32>
  %1 = graph.pool2d average, %0 window = [2, 2] {strides = array<i64: 2, 2>} : tensor<1x3x16x16xf32> -> tensor<1x3x8x8xf32>
  %2 = graph.relu %1 : tensor<1x3x8x8xf32>
  return %2 : tensor<1x3x8x8xf32>
}

// Fewer elements at the edges.
func.func @average(%x: tensor<1x4x9x9xf32>) -> tensor<1x4x9x9xf32> {
  %0 = graph.pool2d average, %x window = [3, 3] {pads = array<i64: 1, 1, 1, 1>} : tensor<1x4x9x9xf32> -> tensor<1x4x9x9xf32>
  return %0 : tensor<1x4x9x9xf32>
}

func.func @average_with_pads(%x: tensor<1x4x10x9xf16>) -> tensor<1x4x6x5xf16> {
  %0 = graph.pool2d average, %x window = [3, 3] {pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>, ceil_mode, count_pads} : tensor<1x4x10x9xf16> -> tensor<1x4x6x5xf16>
  return %0 : tensor<1x4x6x5xf16>
}

func.func @sum_of_dilated(%x: tensor<1x9x11x8xf32>) -> tensor<1x5x5x8xf32> {
  %0 = graph.pool2d sum, %x window = [3, 4] {layout = "nhwc", dilations = array<i64: 2, 2>, strides = array<i64: 1, 1>} : tensor<1x9x11x8xf32> -> tensor<1x5x5x8xf32>
  return %0 : tensor<1x5x5x8xf32>
}

func.func @global(%x: tensor<2x3x7x9xf32>) -> tensor<2x3x1x1xf32> {
  %0 = graph.pool2d average, %x window = [7, 9] : tensor<2x3x7x9xf32> -> tensor<2x3x1x1xf32>
  return %0 : tensor<2x3x1x1xf32>
}

func.func @nearest(%x: tensor<1x3x5x7xf32>) -> tensor<1x3x10x14xf32> {
  %0 = graph.resize nearest asymmetric, %x to [10, 14] : tensor<1x3x5x7xf32> -> tensor<1x3x10x14xf32>
  return %0 : tensor<1x3x10x14xf32>
}

// Integers are left to loops.
// CHECK: @nearest_integers resize({{.+}}) i8: generated loops tile=
func.func @nearest_integers(%x: tensor<1x5x7x3xi8>) -> tensor<1x8x3x3xi8> {
  %0 = graph.resize nearest half_pixel, %x to [8, 3] {layout = "nhwc"} : tensor<1x5x7x3xi8> -> tensor<1x8x3x3xi8>
  return %0 : tensor<1x8x3x3xi8>
}

func.func @nearest_corners(%x: tensor<1x2x5x7xf16>) -> tensor<1x2x1x17xf16> {
  %0 = graph.resize nearest align_corners, %x to [1, 17] : tensor<1x2x5x7xf16> -> tensor<1x2x1x17xf16>
  return %0 : tensor<1x2x1x17xf16>
}

func.func @bilinear(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x16x19xf32> {
  %0 = graph.resize bilinear half_pixel, %x to [16, 19] : tensor<1x3x8x8xf32> -> tensor<1x3x16x19xf32>
  return %0 : tensor<1x3x16x19xf32>
}

func.func @bilinear_corners(%x: tensor<2x9x8x20xbf16>) -> tensor<2x4x17x20xbf16> {
  %0 = graph.resize bilinear align_corners, %x to [4, 17] {layout = "nhwc"} : tensor<2x9x8x20xbf16> -> tensor<2x4x17x20xbf16>
  return %0 : tensor<2x4x17x20xbf16>
}

// Whole multiples of the width, by which vectors are shuffled.
func.func @nearest_fourfold(%x: tensor<1x3x5x9xbf16>) -> tensor<1x3x10x36xbf16> {
  %0 = graph.resize nearest half_pixel, %x to [10, 36] : tensor<1x3x5x9xbf16> -> tensor<1x3x10x36xbf16>
  return %0 : tensor<1x3x10x36xbf16>
}

func.func @bilinear_fourfold(%x: tensor<1x2x5x9xf32>) -> tensor<1x2x5x36xf32> {
  %0 = graph.resize bilinear half_pixel, %x to [5, 36] : tensor<1x2x5x9xf32> -> tensor<1x2x5x36xf32>
  return %0 : tensor<1x2x5x36xf32>
}

func.func @bilinear_sixteenfold(%x: tensor<1x2x2x3xf32>) -> tensor<1x2x32x48xf32> {
  %0 = graph.resize bilinear asymmetric, %x to [32, 48] : tensor<1x2x2x3xf32> -> tensor<1x2x32x48xf32>
  return %0 : tensor<1x2x32x48xf32>
}

// One dimension stays.
func.func @bilinear_wider(%x: tensor<1x2x8x8xf32>, %y: tensor<1x2x8x20xf32>) -> tensor<1x2x8x20xf32> {
  %0 = graph.resize bilinear asymmetric, %x to [8, 20] : tensor<1x2x8x8xf32> -> tensor<1x2x8x20xf32>
  %1 = graph.add %0, %y : tensor<1x2x8x20xf32>
  return %1 : tensor<1x2x8x20xf32>
}

func.func @reflect(%x: tensor<2x3x5x7xf32>) -> tensor<2x3x8x19xf32> {
  %0 = graph.pad %x before [0, 0, 1, 6] after [0, 0, 2, 6] {mode = #graph.pad_mode<reflect>} : tensor<2x3x5x7xf32> -> tensor<2x3x8x19xf32>
  %1 = graph.relu %0 : tensor<2x3x8x19xf32>
  return %1 : tensor<2x3x8x19xf32>
}

func.func @edge(%x: tensor<3x1xi64>) -> tensor<12x3xi64> {
  %0 = graph.pad %x before [4, 1] after [5, 1] {mode = #graph.pad_mode<edge>} : tensor<3x1xi64> -> tensor<12x3xi64>
  return %0 : tensor<12x3xi64>
}

// A convolution of mirrored edges.
func.func @reflected_convolution(%x: tensor<1x3x9x9xf32>, %w: tensor<8x3x3x3xf32>) -> tensor<1x8x9x9xf32> {
  %0 = graph.pad %x before [0, 0, 1, 1] after [0, 0, 1, 1] {mode = #graph.pad_mode<reflect>} : tensor<1x3x9x9xf32> -> tensor<1x3x11x11xf32>
  %1 = graph.conv2d %0, %w : (tensor<1x3x11x11xf32>, tensor<8x3x3x3xf32>) -> tensor<1x8x9x9xf32>
  return %1 : tensor<1x8x9x9xf32>
}

func.func @transposed(%x: tensor<2x4x5x6xf32>, %w: tensor<4x3x2x2xf32>, %b: tensor<3xf32>) -> tensor<2x3x10x12xf32> {
  %0 = graph.conv_transpose2d %x, %w, %b {strides = array<i64: 2, 2>} : (tensor<2x4x5x6xf32>, tensor<4x3x2x2xf32>, tensor<3xf32>) -> tensor<2x3x10x12xf32>
  %1 = graph.relu %0 : tensor<2x3x10x12xf32>
  return %1 : tensor<2x3x10x12xf32>
}

func.func @transposed_nhwc(%x: tensor<1x5x4x6xbf16>, %w: tensor<6x2x3x3xbf16>) -> tensor<1x10x11x4xbf16> {
  %0 = graph.conv_transpose2d %x, %w {layout = "nhwc", groups = 2 : i64, strides = array<i64: 2, 3>, pads = array<i64: 1, 1, 0, 0>, output_pads = array<i64: 0, 0>} : (tensor<1x5x4x6xbf16>, tensor<6x2x3x3xbf16>) -> tensor<1x10x11x4xbf16>
  return %0 : tensor<1x10x11x4xbf16>
}

func.func @transposed_dilated(%x: tensor<1x2x4x4xf32>, %w: tensor<2x3x3x2xf32>) -> tensor<1x3x8x9xf32> {
  %0 = graph.conv_transpose2d %x, %w {strides = array<i64: 1, 2>, pads = array<i64: 0, 1, 0, 1>, dilations = array<i64: 2, 3>, output_pads = array<i64: 0, 1>} : (tensor<1x2x4x4xf32>, tensor<2x3x3x2xf32>) -> tensor<1x3x8x9xf32>
  return %0 : tensor<1x3x8x9xf32>
}

// Lanes behind the last result find an index in scratch that was used before.
func.func @after_a_softmax(%x: tensor<1x2x17x3xf32>) -> tensor<1x2x34x6xf32> {
  %0 = graph.log_softmax %x axis = 2 : tensor<1x2x17x3xf32>
  %1 = graph.resize bilinear align_corners, %0 to [34, 6] : tensor<1x2x17x3xf32> -> tensor<1x2x34x6xf32>
  return %1 : tensor<1x2x34x6xf32>
}
