// Reshape and transpose between and around computing ops.
//
// RUN: %check-model %s %t.minic
// RUN: %check-model %s %t.minic --gemm-backends=generated --threads=1

func.func @transpose(%x: tensor<3x5x7xf32>) -> tensor<7x3x5xf32> {
  %0 = graph.transpose %x [2, 0, 1] : tensor<3x5x7xf32> -> tensor<7x3x5xf32>
  return %0 : tensor<7x3x5xf32>
}

func.func @heads(%x: tensor<6x32xf32>, %w: tensor<32x32xf32>) -> tensor<4x6x6xf32> {
  %0 = graph.linear %x, %w : (tensor<6x32xf32>, tensor<32x32xf32>) -> tensor<6x32xf32>
  %1 = graph.reshape %0 : tensor<6x32xf32> to tensor<6x4x8xf32>
  %2 = graph.transpose %1 [1, 0, 2] : tensor<6x4x8xf32> -> tensor<4x6x8xf32>
  %3 = graph.transpose %2 [0, 2, 1] : tensor<4x6x8xf32> -> tensor<4x8x6xf32>
  %4 = graph.matmul %2, %3 : (tensor<4x6x8xf32>, tensor<4x8x6xf32>) -> tensor<4x6x6xf32>
  return %4 : tensor<4x6x6xf32>
}

func.func @reshaped(%x: tensor<4x9xf32>) -> tensor<6x6xf32> {
  %0 = graph.exp %x : tensor<4x9xf32>
  %1 = graph.reshape %0 : tensor<4x9xf32> to tensor<6x6xf32>
  %2 = graph.transpose %1 [1, 0] : tensor<6x6xf32> -> tensor<6x6xf32>
  %3 = graph.add %1, %2 : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
  return %3 : tensor<6x6xf32>
}

func.func @transposed_weight(%x: tensor<5x12xf32>, %w: tensor<12x20xf32>) -> tensor<5x20xf32> {
  %0 = graph.transpose %w [1, 0] : tensor<12x20xf32> -> tensor<20x12xf32>
  %1 = graph.linear %x, %0 : (tensor<5x12xf32>, tensor<20x12xf32>) -> tensor<5x20xf32>
  return %1 : tensor<5x20xf32>
}
