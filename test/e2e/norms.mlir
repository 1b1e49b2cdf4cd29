// Norms and log_softmax: their stages, and what comes before and after them.
//
// RUN: %check-model %s %t.minic
// RUN: %check-model %s %t.minic --threads=1 --gemm-backends=generated

func.func @layer_norm(%x: tensor<7x33xf32>, %w: tensor<33xf32>, %b: tensor<33xf32>) -> tensor<7x33xf32> {
  %0 = graph.layer_norm %x scale %w bias %b axis = 1 : (tensor<7x33xf32>, tensor<33xf32>, tensor<33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @layer_norm_half(%x: tensor<2x3x50xf16>, %w: tensor<50xf16>, %b: tensor<50xf16>) -> tensor<2x3x50xf16> {
  %0 = graph.layer_norm %x scale %w bias %b axis = 2 {epsilon = 1.0e-6 : f64} : (tensor<2x3x50xf16>, tensor<50xf16>, tensor<50xf16>) -> tensor<2x3x50xf16>
  return %0 : tensor<2x3x50xf16>
}

func.func @rms_norm(%x: tensor<1x1000xbf16>, %w: tensor<1000xbf16>) -> tensor<1x1000xbf16> {
  %0 = graph.rms_norm %x scale %w axis = 1 : (tensor<1x1000xbf16>, tensor<1000xbf16>) -> tensor<1x1000xbf16>
  return %0 : tensor<1x1000xbf16>
}

func.func @group_norm(%x: tensor<2x6x5x3xf32>, %w: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<2x6x5x3xf32> {
  %0 = graph.group_norm %x scale %w bias %b groups = 3 : (tensor<2x6x5x3xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x5x3xf32>
  return %0 : tensor<2x6x5x3xf32>
}

func.func @log_softmax(%x: tensor<33x7xbf16>) -> tensor<33x7xbf16> {
  %0 = graph.log_softmax %x axis = 0 : tensor<33x7xbf16>
  return %0 : tensor<33x7xbf16>
}

// A block of a transformer without its attention.
func.func @residual(%x: tensor<7x32xf32>, %y: tensor<7x32xf32>, %n: tensor<32xf32>, %w: tensor<16x32xf32>) -> (tensor<7x16xf32>, tensor<7x32xf32>) {
  %0 = graph.add %x, %y : tensor<7x32xf32>
  %1 = graph.rms_norm %0 scale %n axis = 1 : (tensor<7x32xf32>, tensor<32xf32>) -> tensor<7x32xf32>
  %2 = graph.linear %1, %w : (tensor<7x32xf32>, tensor<16x32xf32>) -> tensor<7x16xf32>
  %3 = graph.gelu %2 : tensor<7x16xf32>
  return %3, %0 : tensor<7x16xf32>, tensor<7x32xf32>
}
