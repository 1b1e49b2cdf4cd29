// Convolutions of NHWC images in bf16 whose windows are gathered as rows: by AMX
// tiles where there are some. Windows past every border, strides, dilations,
// channels that fill lines and those that do not, each kind of epilogue.
//
// RUN: %check-model %s %t.minic
// RUN: %check-model %s %t.minic --threads=1 --conv-backends=generated

func.func @residual(%x: tensor<1x14x14x64xbf16>, %s: tensor<96xf32>, %t: tensor<96xf32>, %r: tensor<1x14x14x96xbf16>) -> tensor<1x14x14x96xbf16> {
  %w = graph.constant dense<0.125> : tensor<96x64x3x3xbf16>
  %0 = graph.conv2d %x, %w {layout = "nhwc", pads = array<i64: 1, 1, 1, 1>} : (tensor<1x14x14x64xbf16>, tensor<96x64x3x3xbf16>) -> tensor<1x14x14x96xbf16>
  %1 = graph.cast %0 : tensor<1x14x14x96xbf16> to tensor<1x14x14x96xf32>
  %2 = graph.mul %1, %s : (tensor<1x14x14x96xf32>, tensor<96xf32>) -> tensor<1x14x14x96xf32>
  %3 = graph.add %2, %t : (tensor<1x14x14x96xf32>, tensor<96xf32>) -> tensor<1x14x14x96xf32>
  %4 = graph.cast %3 : tensor<1x14x14x96xf32> to tensor<1x14x14x96xbf16>
  %5 = graph.add %4, %r : (tensor<1x14x14x96xbf16>, tensor<1x14x14x96xbf16>) -> tensor<1x14x14x96xbf16>
  %6 = graph.relu %5 : tensor<1x14x14x96xbf16>
  return %6 : tensor<1x14x14x96xbf16>
}

func.func @stem(%x: tensor<2x19x23x3xbf16>, %w: tensor<41x3x7x7xbf16>, %b: tensor<41xbf16>) -> tensor<2x10x12x41xbf16> {
  %0 = graph.conv2d %x, %w, %b {layout = "nhwc", strides = array<i64: 2, 2>, pads = array<i64: 3, 3, 3, 3>} : (tensor<2x19x23x3xbf16>, tensor<41x3x7x7xbf16>, tensor<41xbf16>) -> tensor<2x10x12x41xbf16>
  %1 = graph.relu %0 : tensor<2x10x12x41xbf16>
  return %1 : tensor<2x10x12x41xbf16>
}

func.func @one_pixel_of_four(%x: tensor<1x13x9x37xbf16>, %w: tensor<33x37x1x1xbf16>) -> tensor<1x7x5x33xbf16> {
  %0 = graph.conv2d %x, %w {layout = "nhwc", strides = array<i64: 2, 2>} : (tensor<1x13x9x37xbf16>, tensor<33x37x1x1xbf16>) -> tensor<1x7x5x33xbf16>
  return %0 : tensor<1x7x5x33xbf16>
}

func.func @dilated(%x: tensor<1x12x11x40xbf16>, %w: tensor<8x40x3x2xbf16>) -> tensor<1x11x13x8xf32> {
  %0 = graph.conv2d %x, %w {layout = "nhwc", pads = array<i64: 3, 4, 0, 1>, dilations = array<i64: 2, 3>} : (tensor<1x12x11x40xbf16>, tensor<8x40x3x2xbf16>) -> tensor<1x11x13x8xbf16>
  %1 = graph.cast %0 : tensor<1x11x13x8xbf16> to tensor<1x11x13x8xf32>
  return %1 : tensor<1x11x13x8xf32>
}
