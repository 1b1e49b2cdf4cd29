// Convolutions in both layouts with what follows them: bias, residual,
// activations; depthwise, dilated, unevenly padded; filters that are no
// constants.
//
// RUN: %check-model %s %t.minic
// RUN: %check-model %s %t.minic --conv-backends=generated --threads=2
// RUN: %check-model %s %t.minic --conv-backends=aten %if onednn-bf16 %{ %} %else %{ --function=bias_relu,depthwise,uneven,masked %}
//
// oneDNN has no f16, and no operand that broadcasts along pixels.
// RUN: %check-model %s %t.minic --conv-backends=library-fused --threads=2 --function=bias_relu,depthwise,uneven%if onednn-bf16 %{,residual%}

func.func @bias_relu(%x: tensor<2x5x13x9xf32>, %w: tensor<33x5x3x3xf32>, %b: tensor<33xf32>) -> tensor<2x33x7x5xf32> {
  %0 = graph.conv2d %x, %w, %b {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>} : (tensor<2x5x13x9xf32>, tensor<33x5x3x3xf32>, tensor<33xf32>) -> tensor<2x33x7x5xf32>
  %1 = graph.relu %0 : tensor<2x33x7x5xf32>
  return %1 : tensor<2x33x7x5xf32>
}

func.func @residual(%x: tensor<2x6x7x20xbf16>, %w: tensor<20x20x3x3xbf16>, %b: tensor<20xbf16>) -> tensor<2x6x7x20xbf16> {
  %0 = graph.conv2d %x, %w {layout = "nhwc", pads = array<i64: 1, 1, 1, 1>} : (tensor<2x6x7x20xbf16>, tensor<20x20x3x3xbf16>) -> tensor<2x6x7x20xbf16>
  %1 = graph.add %0, %b : (tensor<2x6x7x20xbf16>, tensor<20xbf16>) -> tensor<2x6x7x20xbf16>
  %2 = graph.add %1, %x : (tensor<2x6x7x20xbf16>, tensor<2x6x7x20xbf16>) -> tensor<2x6x7x20xbf16>
  %3 = graph.relu %2 : tensor<2x6x7x20xbf16>
  return %3 : tensor<2x6x7x20xbf16>
}

func.func @depthwise(%x: tensor<1x9x11x19xf32>, %w: tensor<19x1x3x3xf32>, %s: tensor<19x1x1xf32>) -> (tensor<1x9x11x19xf32>, tensor<1x19x7x9xf32>) {
  %0 = graph.conv2d %x, %w {layout = "nhwc", groups = 19 : i64, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x9x11x19xf32>, tensor<19x1x3x3xf32>) -> tensor<1x9x11x19xf32>
  %1 = graph.silu %0 : tensor<1x9x11x19xf32>
  %2 = graph.transpose %1 [0, 3, 1, 2] : tensor<1x9x11x19xf32> -> tensor<1x19x9x11xf32>
  %3 = graph.conv2d %2, %w {groups = 19 : i64} : (tensor<1x19x9x11xf32>, tensor<19x1x3x3xf32>) -> tensor<1x19x7x9xf32>
  %4 = graph.mul %3, %s : (tensor<1x19x7x9xf32>, tensor<19x1x1xf32>) -> tensor<1x19x7x9xf32>
  return %1, %4 : tensor<1x9x11x19xf32>, tensor<1x19x7x9xf32>
}

func.func @uneven(%x: tensor<1x8x10x6xf32>) -> tensor<1x8x8x12xf32> {
  %w = graph.constant dense<0.125> : tensor<12x2x3x2xf32>
  %0 = graph.conv2d %x, %w {layout = "nhwc", groups = 3 : i64, pads = array<i64: 3, 0, 1, 1>, dilations = array<i64: 2, 3>} : (tensor<1x8x10x6xf32>, tensor<12x2x3x2xf32>) -> tensor<1x8x8x12xf32>
  %1 = graph.gelu %0 : tensor<1x8x8x12xf32>
  return %1 : tensor<1x8x8x12xf32>
}

func.func @masked(%x: tensor<2x3x5x5xf32>, %w: tensor<4x3x3x3xf32>, %m: tensor<2x1x5x5xf32>) -> tensor<2x4x5x5xf32> {
  %0 = graph.conv2d %x, %w {pads = array<i64: 1, 1, 1, 1>} : (tensor<2x3x5x5xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x5x5xf32>
  %1 = graph.mul %0, %m : (tensor<2x4x5x5xf32>, tensor<2x1x5x5xf32>) -> tensor<2x4x5x5xf32>
  return %1 : tensor<2x4x5x5xf32>
}
