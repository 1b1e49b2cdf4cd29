// Slices and concats that are places inside of other tensors, or strides.
//
// RUN: %check-model %s %t.minic
// RUN: %check-model %s %t.minic --threads=1

func.func @rows(%x: tensor<33x16xbf16>) -> tensor<7x16xbf16> {
  %0 = graph.exp %x : tensor<33x16xbf16>
  %1 = graph.slice %0 [2, 0] to [16, 16] by [1, 1] : tensor<33x16xbf16> -> tensor<14x16xbf16>
  %2 = graph.slice %1 [4, 0] to [11, 16] by [1, 1] : tensor<14x16xbf16> -> tensor<7x16xbf16>
  %3 = graph.relu %2 : tensor<7x16xbf16>
  return %3 : tensor<7x16xbf16>
}

func.func @returned(%x: tensor<33x16xf32>) -> (tensor<1x16xf32>, tensor<2x16xf32>) {
  %0 = graph.exp %x : tensor<33x16xf32>
  %1 = graph.slice %0 [32, 0] to [33, 16] by [1, 1] : tensor<33x16xf32> -> tensor<1x16xf32>
  %2 = graph.slice %x [3, 0] to [5, 16] by [1, 1] : tensor<33x16xf32> -> tensor<2x16xf32>
  return %1, %2 : tensor<1x16xf32>, tensor<2x16xf32>
}

// Queries, keys and values of one linear, in heads.
func.func @split_heads(%x: tensor<5x8xf32>, %w: tensor<48x8xf32>) -> (tensor<2x5x8xf32>, tensor<5x16xf32>, tensor<5x16xf32>) {
  %0 = graph.linear %x, %w : (tensor<5x8xf32>, tensor<48x8xf32>) -> tensor<5x48xf32>
  %1 = graph.slice %0 [0, 0] to [5, 16] by [1, 1] : tensor<5x48xf32> -> tensor<5x16xf32>
  %2 = graph.slice %0 [0, 16] to [5, 32] by [1, 1] : tensor<5x48xf32> -> tensor<5x16xf32>
  %3 = graph.slice %0 [0, 32] to [5, 48] by [1, 1] : tensor<5x48xf32> -> tensor<5x16xf32>
  %4 = graph.reshape %1 : tensor<5x16xf32> to tensor<5x2x8xf32>
  %5 = graph.transpose %4 [1, 0, 2] : tensor<5x2x8xf32> -> tensor<2x5x8xf32>
  %6 = graph.silu %2 : tensor<5x16xf32>
  %7 = graph.mul %6, %3 : tensor<5x16xf32>
  return %5, %7, %3 : tensor<2x5x8xf32>, tensor<5x16xf32>, tensor<5x16xf32>
}

// Steps, starts that are not aligned, extents of 1, transposes and broadcasts
// of slices.
func.func @strided(%x: tensor<7x33x5xf16>, %y: tensor<1x11xf16>) -> (tensor<11x3xf16>, tensor<2x7x11xf16>) {
  %0 = graph.slice %x [1, 0, 3] to [7, 33, 4] by [2, 3, 1] : tensor<7x33x5xf16> -> tensor<3x11x1xf16>
  %1 = graph.reshape %0 : tensor<3x11x1xf16> to tensor<3x11xf16>
  %2 = graph.transpose %1 [1, 0] : tensor<3x11xf16> -> tensor<11x3xf16>
  %3 = graph.relu %2 : tensor<11x3xf16>
  %4 = graph.slice %x [0, 1, 1] to [7, 12, 2] by [1, 1, 1] : tensor<7x33x5xf16> -> tensor<7x11x1xf16>
  %5 = graph.transpose %4 [2, 0, 1] : tensor<7x11x1xf16> -> tensor<1x7x11xf16>
  %6 = graph.broadcast %5 : tensor<1x7x11xf16> to tensor<2x7x11xf16>
  %7 = graph.add %6, %y : (tensor<2x7x11xf16>, tensor<1x11xf16>) -> tensor<2x7x11xf16>
  return %3, %7 : tensor<11x3xf16>, tensor<2x7x11xf16>
}

// A slice of a slice along one axis, and a transpose between them.
func.func @nested(%x: tensor<6x50xf32>) -> tensor<9x2xf32> {
  %0 = graph.slice %x [0, 3] to [6, 50] by [1, 2] : tensor<6x50xf32> -> tensor<6x24xf32>
  %1 = graph.transpose %0 [1, 0] : tensor<6x24xf32> -> tensor<24x6xf32>
  %2 = graph.slice %1 [4, 1] to [22, 6] by [2, 3] : tensor<24x6xf32> -> tensor<9x2xf32>
  %3 = graph.neg %2 : tensor<9x2xf32>
  return %3 : tensor<9x2xf32>
}

// A class token before the patches.
func.func @concat(%token: tensor<1x1x16xf32>, %x: tensor<1x4x8xf32>, %w: tensor<16x8xf32>) -> (tensor<1x5x16xf32>, tensor<1x6x16xf32>) {
  %0 = graph.linear %x, %w : (tensor<1x4x8xf32>, tensor<16x8xf32>) -> tensor<1x4x16xf32>
  %1 = graph.concat %token, %0 axis = 1 : (tensor<1x1x16xf32>, tensor<1x4x16xf32>) -> tensor<1x5x16xf32>
  %2 = graph.tanh %1 : tensor<1x5x16xf32>
  %3 = graph.concat %1, %token axis = 1 : (tensor<1x5x16xf32>, tensor<1x1x16xf32>) -> tensor<1x6x16xf32>
  return %2, %3 : tensor<1x5x16xf32>, tensor<1x6x16xf32>
}
