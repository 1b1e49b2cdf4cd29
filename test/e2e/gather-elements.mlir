// One element for each index, along each axis.
//
// RUN: %check-model %s %t.minic
// RUN: %check-model %s %t.minic --threads=1 --gemm-backends=generated

func.func @columns(%x: tensor<5x33xf32>, %ids: tensor<5x7xi64>) -> tensor<5x7xf32> {
  %zero = graph.constant dense<0> : tensor<i64>
  %0 = graph.max %ids, %zero : (tensor<5x7xi64>, tensor<i64>) -> tensor<5x7xi64>
  %1 = graph.gather_elements %x, %0 axis = 1 : (tensor<5x33xf32>, tensor<5x7xi64>) -> tensor<5x7xf32>
  return %1 : tensor<5x7xf32>
}

// Fewer columns than the input has, more rows.
func.func @rows(%x: tensor<2x33xbf16>) -> tensor<3x4xbf16> {
  %ids = graph.constant dense<[[1, 0, 1, 1], [0, 0, 1, 0], [1, 1, 1, 0]]> : tensor<3x4xi32>
  %0 = graph.gather_elements %x, %ids axis = 0 : (tensor<2x33xbf16>, tensor<3x4xi32>) -> tensor<3x4xbf16>
  return %0 : tensor<3x4xbf16>
}

// What a pointwise op makes of it is in the same kernel.
func.func @chosen_and_scaled(%x: tensor<2x5x9xi32>) -> tensor<2x1x9xi32> {
  %ids = graph.constant dense<4> : tensor<2x1x9xi64>
  %0 = graph.gather_elements %x, %ids axis = 1 : (tensor<2x5x9xi32>, tensor<2x1x9xi64>) -> tensor<2x1x9xi32>
  %1 = graph.add %0, %0 : tensor<2x1x9xi32>
  return %1 : tensor<2x1x9xi32>
}

// Indices that are made up are in range.
func.func @made_up(%x: tensor<5x33xf32>, %ids: tensor<5x7xi32>) -> tensor<5x7xf32> {
  %0 = graph.gather_elements %x, %ids axis = 1 : (tensor<5x33xf32>, tensor<5x7xi32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}
