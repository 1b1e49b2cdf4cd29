// Reductions of integers are exact and wrap.
//
// RUN: %check-model %s %t.minic

func.func @sums(%x: tensor<33x7xi32>) -> tensor<33xi32> {
  %0 = graph.reduce sum, %x [1] : tensor<33x7xi32> -> tensor<33xi32>
  return %0 : tensor<33xi32>
}

func.func @extremes(%x: tensor<5x17xi64>) -> (tensor<5x1xi64>, tensor<17xi64>) {
  %0 = graph.reduce max, %x [1] {keep_dims} : tensor<5x17xi64> -> tensor<5x1xi64>
  %1 = graph.reduce min, %x [0] : tensor<5x17xi64> -> tensor<17xi64>
  return %0, %1 : tensor<5x1xi64>, tensor<17xi64>
}

func.func @products(%x: tensor<3x17xi8>) -> tensor<3xi8> {
  %0 = graph.reduce prod, %x [1] : tensor<3x17xi8> -> tensor<3xi8>
  return %0 : tensor<3xi8>
}

func.func @ones(%mask: tensor<3x33xi1>) -> tensor<3xi64> {
  %0 = graph.cast %mask : tensor<3x33xi1> to tensor<3x33xi64>
  %1 = graph.reduce sum, %0 [1] : tensor<3x33xi64> -> tensor<3xi64>
  return %1 : tensor<3xi64>
}
