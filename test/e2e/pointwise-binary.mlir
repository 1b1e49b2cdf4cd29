// Binary ops with NumPy broadcasting of both operands, in every dtype.
//
// RUN: %check-model %s %t.minic
// RUN: %check-model %s %t.minic --cpu-isa=v3 --threads=1

func.func @binary_f32(%a: tensor<3x1x17xf32>, %b: tensor<5x17xf32>) -> (tensor<3x5x17xf32>, tensor<3x5x17xf32>, tensor<3x5x17xf32>, tensor<3x5x17xf32>, tensor<3x5x17xf32>, tensor<3x5x17xf32>, tensor<3x5x17xf32>) {
  %half = graph.constant dense<0.5> : tensor<f32>
  %a0 = graph.abs %a : tensor<3x1x17xf32>
  %b0 = graph.abs %b : tensor<5x17xf32>
  %a1 = graph.add %a0, %half : (tensor<3x1x17xf32>, tensor<f32>) -> tensor<3x1x17xf32>
  %b1 = graph.add %b0, %half : (tensor<5x17xf32>, tensor<f32>) -> tensor<5x17xf32>
  %add = graph.add %a, %b : (tensor<3x1x17xf32>, tensor<5x17xf32>) -> tensor<3x5x17xf32>
  %sub = graph.sub %a, %b : (tensor<3x1x17xf32>, tensor<5x17xf32>) -> tensor<3x5x17xf32>
  %mul = graph.mul %a, %b : (tensor<3x1x17xf32>, tensor<5x17xf32>) -> tensor<3x5x17xf32>
  %max = graph.max %a, %b : (tensor<3x1x17xf32>, tensor<5x17xf32>) -> tensor<3x5x17xf32>
  %min = graph.min %a, %b : (tensor<3x1x17xf32>, tensor<5x17xf32>) -> tensor<3x5x17xf32>
  %div = graph.div %a1, %b1 : (tensor<3x1x17xf32>, tensor<5x17xf32>) -> tensor<3x5x17xf32>
  %pow = graph.pow %a1, %b1 : (tensor<3x1x17xf32>, tensor<5x17xf32>) -> tensor<3x5x17xf32>
  return %add, %sub, %mul, %max, %min, %div, %pow :
    tensor<3x5x17xf32>, tensor<3x5x17xf32>, tensor<3x5x17xf32>, tensor<3x5x17xf32>, tensor<3x5x17xf32>, tensor<3x5x17xf32>, tensor<3x5x17xf32>
}

func.func @binary_bf16(%a: tensor<3x1x17xbf16>, %b: tensor<5x17xbf16>) -> (tensor<3x5x17xbf16>, tensor<3x5x17xbf16>, tensor<3x5x17xbf16>, tensor<3x5x17xbf16>, tensor<3x5x17xbf16>, tensor<3x5x17xbf16>, tensor<3x5x17xbf16>) {
  %half = graph.constant dense<0.5> : tensor<bf16>
  %a0 = graph.abs %a : tensor<3x1x17xbf16>
  %b0 = graph.abs %b : tensor<5x17xbf16>
  %a1 = graph.add %a0, %half : (tensor<3x1x17xbf16>, tensor<bf16>) -> tensor<3x1x17xbf16>
  %b1 = graph.add %b0, %half : (tensor<5x17xbf16>, tensor<bf16>) -> tensor<5x17xbf16>
  %add = graph.add %a, %b : (tensor<3x1x17xbf16>, tensor<5x17xbf16>) -> tensor<3x5x17xbf16>
  %sub = graph.sub %a, %b : (tensor<3x1x17xbf16>, tensor<5x17xbf16>) -> tensor<3x5x17xbf16>
  %mul = graph.mul %a, %b : (tensor<3x1x17xbf16>, tensor<5x17xbf16>) -> tensor<3x5x17xbf16>
  %max = graph.max %a, %b : (tensor<3x1x17xbf16>, tensor<5x17xbf16>) -> tensor<3x5x17xbf16>
  %min = graph.min %a, %b : (tensor<3x1x17xbf16>, tensor<5x17xbf16>) -> tensor<3x5x17xbf16>
  %div = graph.div %a1, %b1 : (tensor<3x1x17xbf16>, tensor<5x17xbf16>) -> tensor<3x5x17xbf16>
  %pow = graph.pow %a1, %b1 : (tensor<3x1x17xbf16>, tensor<5x17xbf16>) -> tensor<3x5x17xbf16>
  return %add, %sub, %mul, %max, %min, %div, %pow :
    tensor<3x5x17xbf16>, tensor<3x5x17xbf16>, tensor<3x5x17xbf16>, tensor<3x5x17xbf16>, tensor<3x5x17xbf16>, tensor<3x5x17xbf16>, tensor<3x5x17xbf16>
}

func.func @binary_f16(%a: tensor<3x1x17xf16>, %b: tensor<5x17xf16>) -> (tensor<3x5x17xf16>, tensor<3x5x17xf16>, tensor<3x5x17xf16>, tensor<3x5x17xf16>, tensor<3x5x17xf16>, tensor<3x5x17xf16>, tensor<3x5x17xf16>) {
  %half = graph.constant dense<0.5> : tensor<f16>
  %a0 = graph.abs %a : tensor<3x1x17xf16>
  %b0 = graph.abs %b : tensor<5x17xf16>
  %a1 = graph.add %a0, %half : (tensor<3x1x17xf16>, tensor<f16>) -> tensor<3x1x17xf16>
  %b1 = graph.add %b0, %half : (tensor<5x17xf16>, tensor<f16>) -> tensor<5x17xf16>
  %add = graph.add %a, %b : (tensor<3x1x17xf16>, tensor<5x17xf16>) -> tensor<3x5x17xf16>
  %sub = graph.sub %a, %b : (tensor<3x1x17xf16>, tensor<5x17xf16>) -> tensor<3x5x17xf16>
  %mul = graph.mul %a, %b : (tensor<3x1x17xf16>, tensor<5x17xf16>) -> tensor<3x5x17xf16>
  %max = graph.max %a, %b : (tensor<3x1x17xf16>, tensor<5x17xf16>) -> tensor<3x5x17xf16>
  %min = graph.min %a, %b : (tensor<3x1x17xf16>, tensor<5x17xf16>) -> tensor<3x5x17xf16>
  %div = graph.div %a1, %b1 : (tensor<3x1x17xf16>, tensor<5x17xf16>) -> tensor<3x5x17xf16>
  %pow = graph.pow %a1, %b1 : (tensor<3x1x17xf16>, tensor<5x17xf16>) -> tensor<3x5x17xf16>
  return %add, %sub, %mul, %max, %min, %div, %pow :
    tensor<3x5x17xf16>, tensor<3x5x17xf16>, tensor<3x5x17xf16>, tensor<3x5x17xf16>, tensor<3x5x17xf16>, tensor<3x5x17xf16>, tensor<3x5x17xf16>
}

func.func @binary_i32(%a: tensor<3x1x17xi32>, %b: tensor<5x17xi32>) -> (tensor<3x5x17xi32>, tensor<3x5x17xi32>, tensor<3x5x17xi32>, tensor<3x5x17xi32>, tensor<3x5x17xi32>) {
  %add = graph.add %a, %b : (tensor<3x1x17xi32>, tensor<5x17xi32>) -> tensor<3x5x17xi32>
  %sub = graph.sub %a, %b : (tensor<3x1x17xi32>, tensor<5x17xi32>) -> tensor<3x5x17xi32>
  %mul = graph.mul %a, %b : (tensor<3x1x17xi32>, tensor<5x17xi32>) -> tensor<3x5x17xi32>
  %max = graph.max %a, %b : (tensor<3x1x17xi32>, tensor<5x17xi32>) -> tensor<3x5x17xi32>
  %min = graph.min %a, %b : (tensor<3x1x17xi32>, tensor<5x17xi32>) -> tensor<3x5x17xi32>
  return %add, %sub, %mul, %max, %min :
    tensor<3x5x17xi32>, tensor<3x5x17xi32>, tensor<3x5x17xi32>, tensor<3x5x17xi32>, tensor<3x5x17xi32>
}

func.func @binary_i64(%a: tensor<3x1x17xi64>, %b: tensor<5x17xi64>) -> (tensor<3x5x17xi64>, tensor<3x5x17xi64>, tensor<3x5x17xi64>, tensor<3x5x17xi64>, tensor<3x5x17xi64>) {
  %add = graph.add %a, %b : (tensor<3x1x17xi64>, tensor<5x17xi64>) -> tensor<3x5x17xi64>
  %sub = graph.sub %a, %b : (tensor<3x1x17xi64>, tensor<5x17xi64>) -> tensor<3x5x17xi64>
  %mul = graph.mul %a, %b : (tensor<3x1x17xi64>, tensor<5x17xi64>) -> tensor<3x5x17xi64>
  %max = graph.max %a, %b : (tensor<3x1x17xi64>, tensor<5x17xi64>) -> tensor<3x5x17xi64>
  %min = graph.min %a, %b : (tensor<3x1x17xi64>, tensor<5x17xi64>) -> tensor<3x5x17xi64>
  return %add, %sub, %mul, %max, %min :
    tensor<3x5x17xi64>, tensor<3x5x17xi64>, tensor<3x5x17xi64>, tensor<3x5x17xi64>, tensor<3x5x17xi64>
}

func.func @binary_i8(%a: tensor<3x1x17xi8>, %b: tensor<5x17xi8>) -> (tensor<3x5x17xi8>, tensor<3x5x17xi8>, tensor<3x5x17xi8>, tensor<3x5x17xi8>, tensor<3x5x17xi8>) {
  %add = graph.add %a, %b : (tensor<3x1x17xi8>, tensor<5x17xi8>) -> tensor<3x5x17xi8>
  %sub = graph.sub %a, %b : (tensor<3x1x17xi8>, tensor<5x17xi8>) -> tensor<3x5x17xi8>
  %mul = graph.mul %a, %b : (tensor<3x1x17xi8>, tensor<5x17xi8>) -> tensor<3x5x17xi8>
  %max = graph.max %a, %b : (tensor<3x1x17xi8>, tensor<5x17xi8>) -> tensor<3x5x17xi8>
  %min = graph.min %a, %b : (tensor<3x1x17xi8>, tensor<5x17xi8>) -> tensor<3x5x17xi8>
  return %add, %sub, %mul, %max, %min :
    tensor<3x5x17xi8>, tensor<3x5x17xi8>, tensor<3x5x17xi8>, tensor<3x5x17xi8>, tensor<3x5x17xi8>
}
