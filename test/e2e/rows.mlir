// Rows of awkward lengths, with what comes before and after them, results of
// several shapes, and rows along any axis: all by the family `rows`.
//
// RUN: %check-model %s %t.minic
// RUN: minic explain %t.minic | FileCheck %s --implicit-check-not='by loops'
// RUN: %check-model %s %t.minic --threads=1 --cpu-isa=v3

// CHECK: implemented by rows keep=

func.func @vocabulary(%x: tensor<3x50257xf32>) -> tensor<3x50257xf32> {
  %0 = graph.log_softmax %x axis = 1 : tensor<3x50257xf32>
  return %0 : tensor<3x50257xf32>
}

func.func @residual(%x: tensor<33x77xbf16>, %y: tensor<33x77xbf16>, %w: tensor<77xbf16>, %b: tensor<77xbf16>) -> (tensor<33x77xbf16>, tensor<33x77xf32>) {
  %0 = graph.add %x, %y : tensor<33x77xbf16>
  %1 = graph.layer_norm %0 scale %w bias %b axis = 1 : (tensor<33x77xbf16>, tensor<77xbf16>, tensor<77xbf16>) -> tensor<33x77xbf16>
  %2 = graph.cast %1 : tensor<33x77xbf16> to tensor<33x77xf32>
  return %0, %2 : tensor<33x77xbf16>, tensor<33x77xf32>
}

func.func @masked_scores(%x: tensor<3x2x17x77xf16>, %m: tensor<17x77xf16>) -> tensor<3x2x17x77xf16> {
  %scale = graph.constant dense<0.125> : tensor<f16>
  %0 = graph.mul %x, %scale : (tensor<3x2x17x77xf16>, tensor<f16>) -> tensor<3x2x17x77xf16>
  %1 = graph.add %0, %m : (tensor<3x2x17x77xf16>, tensor<17x77xf16>) -> tensor<3x2x17x77xf16>
  %2 = graph.softmax %1 axis = 3 : tensor<3x2x17x77xf16>
  return %2 : tensor<3x2x17x77xf16>
}

func.func @greatest(%x: tensor<7x1000xf32>) -> tensor<7xi64> {
  %0 = graph.arg_reduce max, %x axis = 1 : tensor<7x1000xf32> -> tensor<7xi64>
  return %0 : tensor<7xi64>
}

func.func @columns(%x: tensor<1000x33xf32>) -> tensor<1000x33xf32> {
  %0 = graph.softmax %x axis = 0 : tensor<1000x33xf32>
  return %0 : tensor<1000x33xf32>
}
