// Batched products with either operand transposed and broadcast.
//
// RUN: %check-model %s %t.minic
// RUN: %check-model %s %t.minic --gemm-backends=generated --threads=1
// RUN: %check-model %s %t.minic --gemm-backends=aten
// RUN: %check-model %s %t.minic --gemm-backends=library-fused --threads=2

func.func @plain(%a: tensor<17x9xf32>, %b: tensor<9x33xf32>) -> tensor<17x33xf32> {
  %0 = graph.matmul %a, %b : (tensor<17x9xf32>, tensor<9x33xf32>) -> tensor<17x33xf32>
  return %0 : tensor<17x33xf32>
}

func.func @transposed_lhs(%a: tensor<9x17xf32>, %b: tensor<9x33xf32>) -> tensor<17x33xf32> {
  %0 = graph.matmul %a, %b {transpose_lhs} : (tensor<9x17xf32>, tensor<9x33xf32>) -> tensor<17x33xf32>
  return %0 : tensor<17x33xf32>
}

func.func @scores(%q: tensor<3x5x16xf32>, %k: tensor<3x7x16xf32>) -> tensor<3x5x7xf32> {
  %s = graph.constant dense<0.25> : tensor<f32>
  %0 = graph.matmul %q, %k {transpose_rhs} : (tensor<3x5x16xf32>, tensor<3x7x16xf32>) -> tensor<3x5x7xf32>
  %1 = graph.mul %0, %s : (tensor<3x5x7xf32>, tensor<f32>) -> tensor<3x5x7xf32>
  return %1 : tensor<3x5x7xf32>
}

func.func @both(%a: tensor<2x9x5xf32>, %b: tensor<2x6x9xf32>) -> tensor<2x5x6xf32> {
  %0 = graph.matmul %a, %b {transpose_lhs, transpose_rhs} : (tensor<2x9x5xf32>, tensor<2x6x9xf32>) -> tensor<2x5x6xf32>
  return %0 : tensor<2x5x6xf32>
}

func.func @broadcast(%a: tensor<4x1x5x9xf32>, %b: tensor<3x9x6xf32>) -> tensor<4x3x5x6xf32> {
  %0 = graph.matmul %a, %b : (tensor<4x1x5x9xf32>, tensor<3x9x6xf32>) -> tensor<4x3x5x6xf32>
  %1 = graph.tanh %0 : tensor<4x3x5x6xf32>
  return %1 : tensor<4x3x5x6xf32>
}

func.func @constant_rhs(%a: tensor<4x13x8xf32>) -> tensor<4x13x20xf32> {
  %b = graph.constant dense<0.375> : tensor<8x20xf32>
  %0 = graph.matmul %a, %b : (tensor<4x13x8xf32>, tensor<8x20xf32>) -> tensor<4x13x20xf32>
  return %0 : tensor<4x13x20xf32>
}
