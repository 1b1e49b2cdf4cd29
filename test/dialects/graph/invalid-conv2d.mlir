// RUN: minic-opt %s --split-input-file --verify-diagnostics

func.func @conv2d_rank(%x: tensor<8x5x7xf32>, %w: tensor<16x8x3x3xf32>) {
  // expected-error @below {{expects input [N, C, H, W] and filter [K, C / groups, R, S], got [8, 5, 7] and [16, 8, 3, 3]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.conv2d"(%x, %w) : (tensor<8x5x7xf32>, tensor<16x8x3x3xf32>) -> tensor<2x16x3x5xf32>
  return
}

// -----

func.func @conv2d_rank_nhwc(%x: tensor<2x5x7x8xf32>, %w: tensor<16x8xf32>) {
  // expected-error @below {{expects input [N, H, W, C] and filter [K, C / groups, R, S], got [2, 5, 7, 8] and [16, 8]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.conv2d"(%x, %w) {layout = "nhwc"} : (tensor<2x5x7x8xf32>, tensor<16x8xf32>) -> tensor<2x16x3x5xf32>
  return
}

// -----

func.func @conv2d_dtype(%x: tensor<2x8x5x7xf32>, %w: tensor<16x8x3x3xf16>) {
  // expected-error @below {{expects operands of one dtype, got 'f32' and 'f16'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.conv2d"(%x, %w) : (tensor<2x8x5x7xf32>, tensor<16x8x3x3xf16>) -> tensor<2x16x3x5xf32>
  return
}

// -----

func.func @conv2d_channels(%x: tensor<2x5x7x8xf32>, %w: tensor<16x8x3x3xf32>) {
  // expected-error @below {{expects C / groups channels in the filter, got 5 / 1 and 8}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.conv2d"(%x, %w) : (tensor<2x5x7x8xf32>, tensor<16x8x3x3xf32>) -> tensor<2x16x3x5xf32>
  return
}

// -----

func.func @conv2d_groups(%x: tensor<2x8x5x7xf32>, %w: tensor<16x2x3x3xf32>) {
  // expected-error @below {{expects C / groups channels in the filter, got 8 / 3 and 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.conv2d"(%x, %w) {groups = 3 : i64} : (tensor<2x8x5x7xf32>, tensor<16x2x3x3xf32>) -> tensor<2x16x3x5xf32>
  return
}

// -----

func.func @conv2d_outputs(%x: tensor<2x8x5x7xf32>, %w: tensor<15x2x3x3xf32>) {
  // expected-error @below {{expects K to be a multiple of groups, got 15 and 4}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.conv2d"(%x, %w) {groups = 4 : i64} : (tensor<2x8x5x7xf32>, tensor<15x2x3x3xf32>) -> tensor<2x16x3x5xf32>
  return
}

// -----

func.func @conv2d_no_groups(%x: tensor<2x8x5x7xf32>, %w: tensor<16x8x3x3xf32>) {
  // expected-error @below {{expects groups to be 1 number from 1 to 2147483647, got [0]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.conv2d"(%x, %w) {groups = 0 : i64} : (tensor<2x8x5x7xf32>, tensor<16x8x3x3xf32>) -> tensor<2x16x3x5xf32>
  return
}

// -----

func.func @conv2d_strides(%x: tensor<2x8x5x7xf32>, %w: tensor<16x8x3x3xf32>) {
  // expected-error @below {{expects strides to be 2 numbers from 1 to 2147483647, got [0, 1]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.conv2d"(%x, %w) {strides = array<i64: 0, 1>} : (tensor<2x8x5x7xf32>, tensor<16x8x3x3xf32>) -> tensor<2x16x3x5xf32>
  return
}

// -----

func.func @conv2d_pads(%x: tensor<2x8x5x7xf32>, %w: tensor<16x8x3x3xf32>) {
  // expected-error @below {{expects pads to be 4 numbers from 0 to 2147483647, got [1, 1]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.conv2d"(%x, %w) {pads = array<i64: 1, 1>} : (tensor<2x8x5x7xf32>, tensor<16x8x3x3xf32>) -> tensor<2x16x3x5xf32>
  return
}

// -----

func.func @conv2d_negative_pads(%x: tensor<2x8x5x7xf32>, %w: tensor<16x8x3x3xf32>) {
  // expected-error @below {{expects pads to be 4 numbers from 0 to 2147483647, got [1, 1, -1, 1]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.conv2d"(%x, %w) {pads = array<i64: 1, 1, -1, 1>} : (tensor<2x8x5x7xf32>, tensor<16x8x3x3xf32>) -> tensor<2x16x3x5xf32>
  return
}

// -----

func.func @conv2d_dilations(%x: tensor<2x8x5x7xf32>, %w: tensor<16x8x3x3xf32>) {
  // expected-error @below {{expects dilations to be 2 numbers from 1 to 2147483647, got [1, 4294967296]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.conv2d"(%x, %w) {dilations = array<i64: 1, 4294967296>} : (tensor<2x8x5x7xf32>, tensor<16x8x3x3xf32>) -> tensor<2x16x3x5xf32>
  return
}

// -----

func.func @conv2d_too_large(%x: tensor<2x8x5x7xf32>, %w: tensor<16x8x3x3xf32>) {
  // expected-error @below {{expects the padded input to be no smaller than the dilated filter, got widths 7 + 1 + 2 and (3 - 1) * 5 + 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.conv2d"(%x, %w) {dilations = array<i64: 1, 5>, pads = array<i64: 0, 1, 0, 2>} : (tensor<2x8x5x7xf32>, tensor<16x8x3x3xf32>) -> tensor<2x16x3x5xf32>
  return
}

// -----

func.func @conv2d_empty_filter(%x: tensor<2x8x5x7xf32>, %w: tensor<16x8x0x3xf32>) {
  // expected-error @below {{got heights 5 + 0 + 0 and (0 - 1) * 1 + 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.conv2d"(%x, %w) : (tensor<2x8x5x7xf32>, tensor<16x8x0x3xf32>) -> tensor<2x16x3x5xf32>
  return
}

// -----

func.func @conv2d_bias(%x: tensor<2x8x5x7xf32>, %w: tensor<16x8x3x3xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{expects bias [16], got [8]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.conv2d"(%x, %w, %b) : (tensor<2x8x5x7xf32>, tensor<16x8x3x3xf32>, tensor<8xf32>) -> tensor<2x16x3x5xf32>
  return
}

// -----

func.func @conv2d_layout(%x: tensor<2x8x5x7xf32>, %w: tensor<16x8x3x3xf32>) {
  // expected-error @below {{attribute 'layout' failed to satisfy constraint: "nchw" or "nhwc"}}
  %0 = "graph.conv2d"(%x, %w) {layout = "chwn"} : (tensor<2x8x5x7xf32>, tensor<16x8x3x3xf32>) -> tensor<2x16x3x5xf32>
  return
}
