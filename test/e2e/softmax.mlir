// Softmax along any axis, alone and among other ops.
//
// RUN: %check-model %s %t.minic
// RUN: %check-model %s %t.minic --threads=1

func.func @rows(%x: tensor<33x7xf32>) -> tensor<33x7xf32> {
  %0 = graph.softmax %x axis = 1 : tensor<33x7xf32>
  return %0 : tensor<33x7xf32>
}

func.func @middle(%x: tensor<3x33x5xbf16>) -> tensor<3x33x5xbf16> {
  %0 = graph.softmax %x axis = 1 : tensor<3x33x5xbf16>
  return %0 : tensor<3x33x5xbf16>
}

func.func @first(%x: tensor<7x4xf16>) -> tensor<7x4xf16> {
  %0 = graph.softmax %x axis = 0 : tensor<7x4xf16>
  return %0 : tensor<7x4xf16>
}

func.func @one(%x: tensor<5x1xf32>) -> tensor<5x1xf32> {
  %0 = graph.softmax %x axis = 1 : tensor<5x1xf32>
  return %0 : tensor<5x1xf32>
}

func.func @long(%x: tensor<2x4097xf32>) -> tensor<2x4097xf32> {
  %0 = graph.softmax %x axis = 1 : tensor<2x4097xf32>
  return %0 : tensor<2x4097xf32>
}

func.func @attention(%q: tensor<2x3x17x8xf32>, %k: tensor<2x3x19x8xf32>, %v: tensor<2x3x19x8xf32>) -> tensor<2x3x17x8xf32> {
  %scale = graph.constant dense<0.35355339> : tensor<f32>
  %0 = graph.matmul %q, %k {transpose_rhs} : (tensor<2x3x17x8xf32>, tensor<2x3x19x8xf32>) -> tensor<2x3x17x19xf32>
  %1 = graph.mul %0, %scale : (tensor<2x3x17x19xf32>, tensor<f32>) -> tensor<2x3x17x19xf32>
  %2 = graph.softmax %1 axis = 3 : tensor<2x3x17x19xf32>
  %3 = graph.matmul %2, %v : (tensor<2x3x17x19xf32>, tensor<2x3x19x8xf32>) -> tensor<2x3x17x8xf32>
  return %3 : tensor<2x3x17x8xf32>
}

// Pointwise neighbours on both sides.
func.func @neighbours(%x: tensor<9x21xf16>, %mask: tensor<21xf16>) -> tensor<9x21xf16> {
  %0 = graph.add %x, %mask : (tensor<9x21xf16>, tensor<21xf16>) -> tensor<9x21xf16>
  %1 = graph.softmax %0 axis = 1 : tensor<9x21xf16>
  %2 = graph.relu %1 : tensor<9x21xf16>
  return %2 : tensor<9x21xf16>
}
