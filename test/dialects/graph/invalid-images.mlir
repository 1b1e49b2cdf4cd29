// RUN: minic-opt %s --split-input-file --verify-diagnostics

func.func @pool_rank(%x: tensor<8x5x7xf32>) {
  // expected-error @below {{'graph.pool2d' op expects input [N, H, W, C], got [8, 5, 7]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.pool2d max, %x window = [2, 2] {layout = "nhwc"} : tensor<8x5x7xf32> -> tensor<8x4x6xf32>
  return
}

// -----

func.func @pool_window(%x: tensor<2x8x5x7xf32>) {
  // expected-error @below {{'graph.pool2d' op expects window to be 2 numbers from 1 to 2147483647, got [3]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.pool2d max, %x window = [3] : tensor<2x8x5x7xf32> -> tensor<2x8x3x5xf32>
  return
}

// -----

func.func @pool_strides(%x: tensor<2x8x5x7xf32>) {
  // expected-error @below {{'graph.pool2d' op expects strides to be 2 numbers from 1 to 2147483647, got [1, 0]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.pool2d sum, %x window = [3, 3] {strides = array<i64: 1, 0>} : tensor<2x8x5x7xf32> -> tensor<2x8x3x5xf32>
  return
}

// -----

func.func @pool_pads(%x: tensor<2x8x5x7xf32>) {
  // expected-error @below {{'graph.pool2d' op expects pads to be 4 numbers from 0 to 2147483647, got [1, 1]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.pool2d sum, %x window = [3, 3] {pads = array<i64: 1, 1>} : tensor<2x8x5x7xf32> -> tensor<2x8x3x5xf32>
  return
}

// -----

func.func @pool_dilations(%x: tensor<2x8x5x7xf32>) {
  // expected-error @below {{'graph.pool2d' op expects dilations to be 2 numbers from 1 to 2147483647, got [0, 1]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.pool2d sum, %x window = [3, 3] {dilations = array<i64: 0, 1>} : tensor<2x8x5x7xf32> -> tensor<2x8x3x5xf32>
  return
}

// -----

func.func @pool_larger_than_input(%x: tensor<2x8x5x7xf32>) {
  // expected-error @below {{'graph.pool2d' op expects the padded input to be no smaller than the dilated window, got heights 5 + 1 + 0 and (4 - 1) * 2 + 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.pool2d max, %x window = [4, 2] {dilations = array<i64: 2, 1>, pads = array<i64: 1, 0, 0, 0>} : tensor<2x8x5x7xf32> -> tensor<2x8x1x6xf32>
  return
}

// -----

func.func @pool_dilation_past_input(%x: tensor<2x8x5x7xf32>) {
  // expected-error @below {{'graph.pool2d' op expects dilations within the input, got widths 7 and dilation 8}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.pool2d max, %x window = [1, 2] {dilations = array<i64: 1, 8>, pads = array<i64: 0, 1, 0, 1>} : tensor<2x8x5x7xf32> -> tensor<2x8x5x1xf32>
  return
}

// -----

func.func @pool_of_pads_alone(%x: tensor<2x8x5x7xf32>) {
  // expected-error @below {{'graph.pool2d' op expects pads smaller than the dilated window, got heights 2 and 0 for (2 - 1) * 1 + 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.pool2d max, %x window = [2, 2] {pads = array<i64: 2, 0, 0, 0>} : tensor<2x8x5x7xf32> -> tensor<2x8x6x6xf32>
  return
}

// -----

func.func @pool_of_endless(%x: tensor<1x1x9223372036854775807x1xf32>) {
  // expected-error @below {{'graph.pool2d' op expects heights and widths up to 2305843009213693952, got heights 9223372036854775807}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.pool2d max, %x window = [2, 1] {pads = array<i64: 1, 0, 1, 0>} : tensor<1x1x9223372036854775807x1xf32> -> tensor<1x1x4x1xf32>
  return
}

// -----

func.func @resize_to_zero(%x: tensor<2x8x5x7xf32>) {
  // expected-error @below {{'graph.resize' op expects sizes to be 2 numbers from 1 to 1048576, got [5, 0]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.resize nearest asymmetric, %x to [5, 0] : tensor<2x8x5x7xf32> -> tensor<2x8x5x0xf32>
  return
}

// -----

func.func @resize_rank(%x: tensor<8x5x7xf32>) {
  // expected-error @below {{'graph.resize' op expects input [N, C, H, W], got [8, 5, 7]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.resize nearest asymmetric, %x to [5, 9] : tensor<8x5x7xf32> -> tensor<8x5x9xf32>
  return
}

// -----

func.func @resize_nothing(%x: tensor<2x8x0x7xf32>) {
  // expected-error @below {{'graph.resize' op expects a height and a width from 1 to 1048576, got 0}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.resize bilinear half_pixel, %x to [5, 9] : tensor<2x8x0x7xf32> -> tensor<2x8x5x9xf32>
  return
}

// -----

func.func @resize_integers(%x: tensor<2x8x5x7xi8>) {
  // expected-error @below {{'graph.resize' op expects floats to weigh, got 'i8'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.resize bilinear half_pixel, %x to [5, 9] : tensor<2x8x5x7xi8> -> tensor<2x8x5x9xi8>
  return
}

// -----

func.func @reflect_too_far(%x: tensor<4x8xf32>) {
  // expected-error @below {{'graph.pad' op expects reflections smaller than the input, got 1 before and 4 after extent 4 in dimension 0}}
  %0 = graph.pad %x before [1, 0] after [4, 0] {mode = #graph.pad_mode<reflect>} : tensor<4x8xf32> -> tensor<9x8xf32>
  return
}

// -----

func.func @edge_of_nothing(%x: tensor<4x0xf32>) {
  // expected-error @below {{'graph.pad' op expects elements to repeat, got 0 before and 1 after extent 0 in dimension 1}}
  %0 = graph.pad %x before [0, 0] after [0, 1] {mode = #graph.pad_mode<edge>} : tensor<4x0xf32> -> tensor<4x1xf32>
  return
}

// -----

func.func @reflect_with_value(%x: tensor<4x8xf32>) {
  // expected-error @below {{'graph.pad' op expects no value with mode reflect, got 1.000000e+00}}
  %0 = graph.pad %x before [1, 0] after [1, 0] {mode = #graph.pad_mode<reflect>, value = 1.0 : f64} : tensor<4x8xf32> -> tensor<6x8xf32>
  return
}

// -----

func.func @transpose_rank(%x: tensor<2x8x5xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @below {{expects input [N, C, H, W] and filter [C, K / groups, R, S], got [2, 8, 5] and [8, 4, 3, 3]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.conv_transpose2d"(%x, %w) : (tensor<2x8x5xf32>, tensor<8x4x3x3xf32>) -> tensor<2x4x7x9xf32>
  return
}

// -----

func.func @transpose_dtypes(%x: tensor<2x8x5x7xf32>, %w: tensor<8x4x3x3xf16>) {
  // expected-error @below {{'graph.conv_transpose2d' op expects operands of one dtype, got 'f32' and 'f16'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.conv_transpose2d"(%x, %w) : (tensor<2x8x5x7xf32>, tensor<8x4x3x3xf16>) -> tensor<2x4x7x9xf32>
  return
}

// -----

func.func @transpose_channels(%x: tensor<2x8x5x7xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @below {{'graph.conv_transpose2d' op expects C channels in the filter, got 8 and 6}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.conv_transpose2d"(%x, %w) : (tensor<2x8x5x7xf32>, tensor<6x4x3x3xf32>) -> tensor<2x4x7x9xf32>
  return
}

// -----

func.func @transpose_groups(%x: tensor<2x8x5x7xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @below {{'graph.conv_transpose2d' op expects C to be a multiple of groups, got 8 and 3}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.conv_transpose2d"(%x, %w) {groups = 3 : i64} : (tensor<2x8x5x7xf32>, tensor<8x4x3x3xf32>) -> tensor<2x12x7x9xf32>
  return
}

// -----

func.func @transpose_bias(%x: tensor<2x8x5x7xf32>, %w: tensor<8x4x3x3xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{'graph.conv_transpose2d' op expects bias [4], got [8]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.conv_transpose2d"(%x, %w, %b) : (tensor<2x8x5x7xf32>, tensor<8x4x3x3xf32>, tensor<8xf32>) -> tensor<2x4x7x9xf32>
  return
}

// -----

func.func @transpose_output_pads(%x: tensor<2x8x5x7xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @below {{'graph.conv_transpose2d' op expects output_pads to be 2 numbers from 0 to 2147483647, got [0, -1]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.conv_transpose2d"(%x, %w) {output_pads = array<i64: 0, -1>} : (tensor<2x8x5x7xf32>, tensor<8x4x3x3xf32>) -> tensor<2x4x7x8xf32>
  return
}

// -----

func.func @transpose_all_padded(%x: tensor<2x8x1x7xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @below {{'graph.conv_transpose2d' op expects pads that leave a result, got heights 2 and 1 of (1 - 1) * 1 + (3 - 1) * 1 + 0 + 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.conv_transpose2d"(%x, %w) {pads = array<i64: 2, 0, 1, 0>} : (tensor<2x8x1x7xf32>, tensor<8x4x3x3xf32>) -> tensor<2x4x0x9xf32>
  return
}

// -----

func.func @transpose_many_channels(%x: tensor<1x4x1x1xf32>, %w: tensor<4x4611686018427387904x1x1xf32>) {
  // expected-error @below {{'graph.conv_transpose2d' op expects fewer channels, got 4611686018427387904 * 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.conv_transpose2d"(%x, %w) {groups = 2 : i64} : (tensor<1x4x1x1xf32>, tensor<4x4611686018427387904x1x1xf32>) -> tensor<1x8x1x1xf32>
  return
}
