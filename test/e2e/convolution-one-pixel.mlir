// Convolutions of one pixel of NHWC images in bf16, which are products of
// matrices as they lie: by AMX tiles where there are some. Constant filters and
// those of a caller, whole tiles and rests of every extent, each kind of epilogue.
//
// RUN: %check-model %s %t.minic
// RUN: %check-model %s %t.minic --threads=1 --conv-backends=generated

func.func @residual(%x: tensor<1x14x14x64xbf16>, %s: tensor<96xf32>, %t: tensor<96xf32>, %r: tensor<1x14x14x96xbf16>) -> tensor<1x14x14x96xbf16> {
  %w = graph.constant dense<0.125> : tensor<96x64x1x1xbf16>
  %0 = graph.conv2d %x, %w {layout = "nhwc"} : (tensor<1x14x14x64xbf16>, tensor<96x64x1x1xbf16>) -> tensor<1x14x14x96xbf16>
  %1 = graph.cast %0 : tensor<1x14x14x96xbf16> to tensor<1x14x14x96xf32>
  %2 = graph.mul %1, %s : (tensor<1x14x14x96xf32>, tensor<96xf32>) -> tensor<1x14x14x96xf32>
  %3 = graph.add %2, %t : (tensor<1x14x14x96xf32>, tensor<96xf32>) -> tensor<1x14x14x96xf32>
  %4 = graph.cast %3 : tensor<1x14x14x96xf32> to tensor<1x14x14x96xbf16>
  %5 = graph.add %4, %r : (tensor<1x14x14x96xbf16>, tensor<1x14x14x96xbf16>) -> tensor<1x14x14x96xbf16>
  %6 = graph.relu %5 : tensor<1x14x14x96xbf16>
  return %6 : tensor<1x14x14x96xbf16>
}

func.func @awkward(%x: tensor<2x7x5x37xbf16>, %w: tensor<41x37x1x1xbf16>, %b: tensor<41xbf16>) -> tensor<2x7x5x41xbf16> {
  %0 = graph.conv2d %x, %w, %b {layout = "nhwc"} : (tensor<2x7x5x37xbf16>, tensor<41x37x1x1xbf16>, tensor<41xbf16>) -> tensor<2x7x5x41xbf16>
  %1 = graph.relu %0 : tensor<2x7x5x41xbf16>
  return %1 : tensor<2x7x5x41xbf16>
}

func.func @one_row(%x: tensor<1x1x1x200xbf16>, %w: tensor<3x200x1x1xbf16>) -> tensor<1x1x1x3xbf16> {
  %0 = graph.conv2d %x, %w {layout = "nhwc"} : (tensor<1x1x1x200xbf16>, tensor<3x200x1x1xbf16>) -> tensor<1x1x1x3xbf16>
  return %0 : tensor<1x1x1x3xbf16>
}

func.func @one_channel(%x: tensor<3x11x13x1xbf16>, %w: tensor<33x1x1x1xbf16>) -> tensor<3x11x13x33xf32> {
  %0 = graph.conv2d %x, %w {layout = "nhwc"} : (tensor<3x11x13x1xbf16>, tensor<33x1x1x1xbf16>) -> tensor<3x11x13x33xbf16>
  %1 = graph.cast %0 : tensor<3x11x13x33xbf16> to tensor<3x11x13x33xf32>
  return %1 : tensor<3x11x13x33xf32>
}
