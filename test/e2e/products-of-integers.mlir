// Products of i8 are exact sums in i32, with what quantised models do to them
// before they are written.
//
// RUN: %check-model %s %t.minic
// RUN: %check-model %s %t.minic --gemm-backends=generated --threads=2
// RUN: %check-model %s %t.minic --cpu-isa=v3,v4
// RUN: %check-model %s %t.minic --mode=max-autotune --tune-db=off

func.func @plain(%x: tensor<17x67xi8>, %w: tensor<33x67xi8>) -> tensor<17x33xi32> {
  %0 = graph.linear %x, %w : (tensor<17x67xi8>, tensor<33x67xi8>) -> tensor<17x33xi32>
  return %0 : tensor<17x33xi32>
}

func.func @one_row(%x: tensor<256xi8>, %w: tensor<40x256xi8>, %b: tensor<40xi32>) -> tensor<40xi32> {
  %0 = graph.linear %x, %w, %b : (tensor<256xi8>, tensor<40x256xi8>, tensor<40xi32>) -> tensor<40xi32>
  return %0 : tensor<40xi32>
}

func.func @batched(%a: tensor<2x3x9x5xi8>, %b: tensor<3x9x6xi8>) -> tensor<2x3x5x6xi32> {
  %0 = graph.matmul %a, %b {transpose_lhs} : (tensor<2x3x9x5xi8>, tensor<3x9x6xi8>) -> tensor<2x3x5x6xi32>
  return %0 : tensor<2x3x5x6xi32>
}

// A layer that takes bytes and gives bytes: zero point, scales of each column,
// bias, activation, and back to i8.
func.func @quantized(%x: tensor<40x64xui8>, %w: tensor<48x64xi8>, %scale: tensor<48xf32>, %b: tensor<48xf32>) -> tensor<40x48xi8> {
  %offset = graph.constant dense<-128> : tensor<i8>
  %zero = graph.constant dense<-5> : tensor<i32>
  %axis = graph.constant dense<0.0625> : tensor<f32>
  %low = graph.constant dense<-128.0> : tensor<f32>
  %high = graph.constant dense<127.0> : tensor<f32>
  %0 = graph.cast %x : tensor<40x64xui8> to tensor<40x64xi8>
  %1 = graph.add %0, %offset : (tensor<40x64xi8>, tensor<i8>) -> tensor<40x64xi8>
  %2 = graph.linear %1, %w : (tensor<40x64xi8>, tensor<48x64xi8>) -> tensor<40x48xi32>
  %3 = graph.cast %w : tensor<48x64xi8> to tensor<48x64xi32>
  %4 = graph.reduce sum, %3 [1] : tensor<48x64xi32> -> tensor<48xi32>
  %5 = graph.mul %4, %zero : (tensor<48xi32>, tensor<i32>) -> tensor<48xi32>
  %6 = graph.sub %2, %5 : (tensor<40x48xi32>, tensor<48xi32>) -> tensor<40x48xi32>
  %7 = graph.cast %6 : tensor<40x48xi32> to tensor<40x48xf32>
  %8 = graph.mul %7, %scale : (tensor<40x48xf32>, tensor<48xf32>) -> tensor<40x48xf32>
  %9 = graph.add %8, %b : (tensor<40x48xf32>, tensor<48xf32>) -> tensor<40x48xf32>
  %10 = graph.gelu %9 : tensor<40x48xf32>
  %11 = graph.mul %10, %axis : (tensor<40x48xf32>, tensor<f32>) -> tensor<40x48xf32>
  %12 = graph.round %11 : tensor<40x48xf32>
  %13 = graph.max %12, %low : (tensor<40x48xf32>, tensor<f32>) -> tensor<40x48xf32>
  %14 = graph.min %13, %high : (tensor<40x48xf32>, tensor<f32>) -> tensor<40x48xf32>
  %15 = graph.cast %14 : tensor<40x48xf32> to tensor<40x48xi8>
  return %15 : tensor<40x48xi8>
}
