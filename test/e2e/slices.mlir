// Ops that move or extend elements, and running sums.
//
// RUN: %check-model %s %t.minic
// RUN: %check-model %s %t.minic --threads=1

func.func @slice(%x: tensor<7x33x2xf32>) -> tensor<3x11x2xf32> {
  %0 = graph.slice %x [1, 0, 0] to [7, 33, 2] by [2, 3, 1] : tensor<7x33x2xf32> -> tensor<3x11x2xf32>
  return %0 : tensor<3x11x2xf32>
}

func.func @slice_relu(%x: tensor<7x33xbf16>) -> tensor<7x1xbf16> {
  %0 = graph.slice %x [0, 32] to [7, 33] by [1, 1] : tensor<7x33xbf16> -> tensor<7x1xbf16>
  %1 = graph.relu %0 : tensor<7x1xbf16>
  return %1 : tensor<7x1xbf16>
}

func.func @pad(%x: tensor<3x5xf16>) -> tensor<6x7xf16> {
  %0 = graph.pad %x before [1, 2] after [2, 0] {value = -1.5 : f64} : tensor<3x5xf16> -> tensor<6x7xf16>
  return %0 : tensor<6x7xf16>
}

func.func @broadcast(%x: tensor<5x1xf32>) -> tensor<2x5x7xf32> {
  %0 = graph.broadcast %x : tensor<5x1xf32> to tensor<2x5x7xf32>
  return %0 : tensor<2x5x7xf32>
}

func.func @cumsum(%x: tensor<3x17xf32>) -> tensor<3x17xf32> {
  %0 = graph.cumsum %x axis = 1 : tensor<3x17xf32>
  return %0 : tensor<3x17xf32>
}

func.func @positions(%mask: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %0 = graph.cumsum %mask axis = 1 {exclusive} : tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}

func.func @largest(%x: tensor<5x33xf32>) -> tensor<5xi64> {
  %0 = graph.arg_reduce max, %x axis = 1 : tensor<5x33xf32> -> tensor<5xi64>
  return %0 : tensor<5xi64>
}
