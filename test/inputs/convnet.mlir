// A small residual network on NHWC images, written with NCHW convolutions as
// exporters do: a strided first layer, two blocks (the second with a projected
// shortcut and a depthwise layer), and a classifier.

func.func @main(%image: tensor<2x32x32x3xf32>) -> tensor<2x10xf32> {
  %w0 = graph.constant @stem.weight : tensor<16x3x3x3xf32>
  %b0 = graph.constant @stem.bias : tensor<16xf32>
  %w1 = graph.constant @block1.conv1.weight : tensor<16x16x3x3xf32>
  %b1 = graph.constant @block1.conv1.bias : tensor<16xf32>
  %w2 = graph.constant @block1.conv2.weight : tensor<16x16x3x3xf32>
  %b2 = graph.constant @block1.conv2.bias : tensor<16xf32>
  %w3 = graph.constant @block2.depthwise.weight : tensor<16x1x5x5xf32>
  %w4 = graph.constant @block2.pointwise.weight : tensor<40x16x1x1xf32>
  %b4 = graph.constant @block2.pointwise.bias : tensor<40xf32>
  %w5 = graph.constant @block2.shortcut.weight : tensor<40x16x1x1xf32>
  %w6 = graph.constant @pool.weight : tensor<40x1x8x8xf32>
  %w7 = graph.constant @classifier.weight : tensor<10x40xf32>
  %b7 = graph.constant @classifier.bias : tensor<10xf32>

  %x = graph.transpose %image [0, 3, 1, 2] : tensor<2x32x32x3xf32> -> tensor<2x3x32x32xf32>
  %0 = graph.conv2d %x, %w0, %b0 {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>} : (tensor<2x3x32x32xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>) -> tensor<2x16x16x16xf32>
  %1 = graph.relu %0 : tensor<2x16x16x16xf32>

  %2 = graph.conv2d %1, %w1, %b1 {pads = array<i64: 1, 1, 1, 1>} : (tensor<2x16x16x16xf32>, tensor<16x16x3x3xf32>, tensor<16xf32>) -> tensor<2x16x16x16xf32>
  %3 = graph.relu %2 : tensor<2x16x16x16xf32>
  %4 = graph.conv2d %3, %w2, %b2 {pads = array<i64: 1, 1, 1, 1>} : (tensor<2x16x16x16xf32>, tensor<16x16x3x3xf32>, tensor<16xf32>) -> tensor<2x16x16x16xf32>
  %5 = graph.add %4, %1 : (tensor<2x16x16x16xf32>, tensor<2x16x16x16xf32>) -> tensor<2x16x16x16xf32>
  %6 = graph.relu %5 : tensor<2x16x16x16xf32>

  %7 = graph.conv2d %6, %w3 {groups = 16 : i64, strides = array<i64: 2, 2>, pads = array<i64: 2, 2, 2, 2>} : (tensor<2x16x16x16xf32>, tensor<16x1x5x5xf32>) -> tensor<2x16x8x8xf32>
  %8 = graph.hard_swish %7 : tensor<2x16x8x8xf32>
  %9 = graph.conv2d %8, %w4, %b4 : (tensor<2x16x8x8xf32>, tensor<40x16x1x1xf32>, tensor<40xf32>) -> tensor<2x40x8x8xf32>
  %10 = graph.conv2d %6, %w5 {strides = array<i64: 2, 2>} : (tensor<2x16x16x16xf32>, tensor<40x16x1x1xf32>) -> tensor<2x40x8x8xf32>
  %11 = graph.add %9, %10 : (tensor<2x40x8x8xf32>, tensor<2x40x8x8xf32>) -> tensor<2x40x8x8xf32>
  %12 = graph.relu %11 : tensor<2x40x8x8xf32>

  %13 = graph.conv2d %12, %w6 {groups = 40 : i64} : (tensor<2x40x8x8xf32>, tensor<40x1x8x8xf32>) -> tensor<2x40x1x1xf32>
  %14 = graph.reshape %13 : tensor<2x40x1x1xf32> to tensor<2x40xf32>
  %15 = graph.linear %14, %w7, %b7 : (tensor<2x40xf32>, tensor<10x40xf32>, tensor<10xf32>) -> tensor<2x10xf32>
  return %15 : tensor<2x10xf32>
}
