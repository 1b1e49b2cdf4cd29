// Chains and small DAGs after a linear: bias, activations, residual, scale, a
// value used twice, a second output, a cast.
//
// RUN: %check-model %s %t.minic
// RUN: %check-model %s %t.minic --gemm-backends=generated --threads=1
// RUN: %check-model %s %t.minic --gemm-backends=aten
//
// A oneDNN call has one result, of the dtype of its operands, and no operand
// that broadcasts along rows.
// RUN: %check-model %s %t.minic --gemm-backends=library-fused --threads=2 --function=gelu,residual

func.func @gelu(%x: tensor<17x31xf32>, %w: tensor<63x31xf32>, %b: tensor<63xf32>) -> tensor<17x63xf32> {
  %0 = graph.linear %x, %w, %b : (tensor<17x31xf32>, tensor<63x31xf32>, tensor<63xf32>) -> tensor<17x63xf32>
  %1 = graph.gelu %0 : tensor<17x63xf32>
  return %1 : tensor<17x63xf32>
}

func.func @residual(%x: tensor<7x65xf32>, %w: tensor<65x65xf32>, %b: tensor<65xf32>, %s: tensor<f32>) -> tensor<7x65xf32> {
  %0 = graph.linear %x, %w, %b : (tensor<7x65xf32>, tensor<65x65xf32>, tensor<65xf32>) -> tensor<7x65xf32>
  %1 = graph.silu %0 : tensor<7x65xf32>
  %2 = graph.mul %1, %s : (tensor<7x65xf32>, tensor<f32>) -> tensor<7x65xf32>
  %3 = graph.add %2, %x : (tensor<7x65xf32>, tensor<7x65xf32>) -> tensor<7x65xf32>
  return %3 : tensor<7x65xf32>
}

func.func @second_output(%x: tensor<3x127xf32>, %w: tensor<2x127xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %0 = graph.linear %x, %w : (tensor<3x127xf32>, tensor<2x127xf32>) -> tensor<3x2xf32>
  %1 = graph.sigmoid %0 : tensor<3x2xf32>
  %2 = graph.mul %0, %1 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %0, %2 : tensor<3x2xf32>, tensor<3x2xf32>
}

func.func @by_row(%x: tensor<33x7xf32>, %w: tensor<257x7xf32>, %r: tensor<33x1xf32>) -> tensor<33x257xf32> {
  %0 = graph.linear %x, %w : (tensor<33x7xf32>, tensor<257x7xf32>) -> tensor<33x257xf32>
  %1 = graph.add %0, %r : (tensor<33x257xf32>, tensor<33x1xf32>) -> tensor<33x257xf32>
  %2 = graph.relu %1 : tensor<33x257xf32>
  return %2 : tensor<33x257xf32>
}

func.func @narrowed(%x: tensor<5x3x64xf32>, %w: tensor<40x64xf32>) -> tensor<5x3x40xbf16> {
  %0 = graph.linear %x, %w : (tensor<5x3x64xf32>, tensor<40x64xf32>) -> tensor<5x3x40xf32>
  %1 = graph.cast %0 : tensor<5x3x40xf32> to tensor<5x3x40xbf16>
  return %1 : tensor<5x3x40xbf16>
}
