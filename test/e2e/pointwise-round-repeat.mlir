// Pointwise ops that round, repeat, saturate or look at bits, at shapes that
// are a multiple of no vector length; in kernels of their own and after a
// linear.
//
// RUN: %check-model %s %t.minic --threads=1
// RUN: %check-model %s %t.minic --cpu-isa=v3

func.func @unary_f32(%x: tensor<7x33xf32>, %y: tensor<7x33xf32>) -> (tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>) {
  %sin = graph.sin %x : tensor<7x33xf32>
  %cos = graph.cos %x : tensor<7x33xf32>
  %floor = graph.floor %x : tensor<7x33xf32>
  %ceil = graph.ceil %x : tensor<7x33xf32>
  %round = graph.round %x : tensor<7x33xf32>
  %sign = graph.sign %x : tensor<7x33xf32>
  %softplus = graph.softplus %x : tensor<7x33xf32>
  %mish = graph.mish %x : tensor<7x33xf32>
  %elu = graph.elu %x : tensor<7x33xf32>
  %hard_sigmoid = graph.hard_sigmoid %x : tensor<7x33xf32>
  %elu_half = graph.elu %x {alpha = 0.5 : f64} : tensor<7x33xf32>
  %onnx = graph.hard_sigmoid %x {alpha = 0.2 : f64} : tensor<7x33xf32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %distance = graph.abs %y : tensor<7x33xf32>
  %divisor = graph.add %distance, %one : (tensor<7x33xf32>, tensor<f32>) -> tensor<7x33xf32>
  %mod = graph.mod %x, %divisor : tensor<7x33xf32>
  return %sin, %cos, %floor, %ceil, %round, %sign, %softplus, %mish, %elu, %hard_sigmoid, %elu_half, %onnx, %mod : tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>
}

func.func @unary_bf16(%x: tensor<5x17xbf16>, %y: tensor<5x17xbf16>) -> (tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>) {
  %sin = graph.sin %x : tensor<5x17xbf16>
  %cos = graph.cos %x : tensor<5x17xbf16>
  %floor = graph.floor %x : tensor<5x17xbf16>
  %ceil = graph.ceil %x : tensor<5x17xbf16>
  %round = graph.round %x : tensor<5x17xbf16>
  %sign = graph.sign %x : tensor<5x17xbf16>
  %softplus = graph.softplus %x : tensor<5x17xbf16>
  %mish = graph.mish %x : tensor<5x17xbf16>
  %elu = graph.elu %x : tensor<5x17xbf16>
  %hard_sigmoid = graph.hard_sigmoid %x : tensor<5x17xbf16>
  %elu_half = graph.elu %x {alpha = 0.5 : f64} : tensor<5x17xbf16>
  %onnx = graph.hard_sigmoid %x {alpha = 0.2 : f64} : tensor<5x17xbf16>
  %one = graph.constant dense<1.0> : tensor<bf16>
  %distance = graph.abs %y : tensor<5x17xbf16>
  %divisor = graph.add %distance, %one : (tensor<5x17xbf16>, tensor<bf16>) -> tensor<5x17xbf16>
  %mod = graph.mod %x, %divisor : tensor<5x17xbf16>
  return %sin, %cos, %floor, %ceil, %round, %sign, %softplus, %mish, %elu, %hard_sigmoid, %elu_half, %onnx, %mod : tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>
}

func.func @unary_f16(%x: tensor<3x19xf16>, %y: tensor<3x19xf16>) -> (tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>) {
  %sin = graph.sin %x : tensor<3x19xf16>
  %cos = graph.cos %x : tensor<3x19xf16>
  %floor = graph.floor %x : tensor<3x19xf16>
  %ceil = graph.ceil %x : tensor<3x19xf16>
  %round = graph.round %x : tensor<3x19xf16>
  %sign = graph.sign %x : tensor<3x19xf16>
  %softplus = graph.softplus %x : tensor<3x19xf16>
  %mish = graph.mish %x : tensor<3x19xf16>
  %elu = graph.elu %x : tensor<3x19xf16>
  %hard_sigmoid = graph.hard_sigmoid %x : tensor<3x19xf16>
  %elu_half = graph.elu %x {alpha = 0.5 : f64} : tensor<3x19xf16>
  %onnx = graph.hard_sigmoid %x {alpha = 0.2 : f64} : tensor<3x19xf16>
  %one = graph.constant dense<1.0> : tensor<f16>
  %distance = graph.abs %y : tensor<3x19xf16>
  %divisor = graph.add %distance, %one : (tensor<3x19xf16>, tensor<f16>) -> tensor<3x19xf16>
  %mod = graph.mod %x, %divisor : tensor<3x19xf16>
  return %sin, %cos, %floor, %ceil, %round, %sign, %softplus, %mish, %elu, %hard_sigmoid, %elu_half, %onnx, %mod : tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>
}

func.func @integer_i8(%x: tensor<5x17xi8>, %y: tensor<5x17xi8>) -> (tensor<5x17xi8>, tensor<5x17xi8>, tensor<5x17xi8>, tensor<5x17xi8>, tensor<5x17xi8>, tensor<5x17xi8>, tensor<5x17xi8>) {
  %div = graph.div %x, %y : tensor<5x17xi8>
  %mod = graph.mod %x, %y : tensor<5x17xi8>
  %and = graph.and %x, %y : tensor<5x17xi8>
  %or = graph.or %x, %y : tensor<5x17xi8>
  %xor = graph.xor %x, %y : tensor<5x17xi8>
  %not = graph.not %x : tensor<5x17xi8>
  %sign = graph.sign %x : tensor<5x17xi8>
  return %div, %mod, %and, %or, %xor, %not, %sign : tensor<5x17xi8>, tensor<5x17xi8>, tensor<5x17xi8>, tensor<5x17xi8>, tensor<5x17xi8>, tensor<5x17xi8>, tensor<5x17xi8>
}

func.func @integer_i32(%x: tensor<5x17xi32>, %y: tensor<5x17xi32>) -> (tensor<5x17xi32>, tensor<5x17xi32>, tensor<5x17xi32>, tensor<5x17xi32>, tensor<5x17xi32>, tensor<5x17xi32>, tensor<5x17xi32>) {
  %div = graph.div %x, %y : tensor<5x17xi32>
  %mod = graph.mod %x, %y : tensor<5x17xi32>
  %and = graph.and %x, %y : tensor<5x17xi32>
  %or = graph.or %x, %y : tensor<5x17xi32>
  %xor = graph.xor %x, %y : tensor<5x17xi32>
  %not = graph.not %x : tensor<5x17xi32>
  %sign = graph.sign %x : tensor<5x17xi32>
  return %div, %mod, %and, %or, %xor, %not, %sign : tensor<5x17xi32>, tensor<5x17xi32>, tensor<5x17xi32>, tensor<5x17xi32>, tensor<5x17xi32>, tensor<5x17xi32>, tensor<5x17xi32>
}

func.func @integer_i64(%x: tensor<5x17xi64>, %y: tensor<5x17xi64>) -> (tensor<5x17xi64>, tensor<5x17xi64>, tensor<5x17xi64>, tensor<5x17xi64>, tensor<5x17xi64>, tensor<5x17xi64>, tensor<5x17xi64>) {
  %div = graph.div %x, %y : tensor<5x17xi64>
  %mod = graph.mod %x, %y : tensor<5x17xi64>
  %and = graph.and %x, %y : tensor<5x17xi64>
  %or = graph.or %x, %y : tensor<5x17xi64>
  %xor = graph.xor %x, %y : tensor<5x17xi64>
  %not = graph.not %x : tensor<5x17xi64>
  %sign = graph.sign %x : tensor<5x17xi64>
  return %div, %mod, %and, %or, %xor, %not, %sign : tensor<5x17xi64>, tensor<5x17xi64>, tensor<5x17xi64>, tensor<5x17xi64>, tensor<5x17xi64>, tensor<5x17xi64>, tensor<5x17xi64>
}

func.func @predicates(%x: tensor<37xf32>, %p: tensor<37xi1>)
    -> (tensor<37xi1>, tensor<37xi1>, tensor<37xi1>, tensor<37xi1>) {
  %root = graph.sqrt %x : tensor<37xf32>
  %nan = graph.is_nan %root : tensor<37xf32> -> tensor<37xi1>
  %and = graph.and %nan, %p : tensor<37xi1>
  %or = graph.or %nan, %p : tensor<37xi1>
  %xor = graph.xor %nan, %p : tensor<37xi1>
  %not = graph.not %nan : tensor<37xi1>
  return %and, %or, %xor, %not : tensor<37xi1>, tensor<37xi1>, tensor<37xi1>, tensor<37xi1>
}

func.func @after_linear(%x: tensor<9x16xf32>, %w: tensor<12x16xf32>) -> tensor<9x12xf32> {
  %y = graph.linear %x, %w : (tensor<9x16xf32>, tensor<12x16xf32>) -> tensor<9x12xf32>
  %sin = graph.sin %y : tensor<9x12xf32>
  %0 = graph.mish %sin : tensor<9x12xf32>
  return %0 : tensor<9x12xf32>
}

// A byte that is stored and computed with as a float.
func.func @bytes(%x: tensor<41xi8>) -> tensor<41xi8> {
  %scale = graph.constant dense<0.25> : tensor<f32>
  %wide = graph.cast %x : tensor<41xi8> to tensor<41xf32>
  %scaled = graph.mul %wide, %scale : (tensor<41xf32>, tensor<f32>) -> tensor<41xf32>
  %rounded = graph.round %scaled : tensor<41xf32>
  %0 = graph.cast %rounded : tensor<41xf32> to tensor<41xi8>
  return %0 : tensor<41xi8>
}

func.func @inverse_root(%x: tensor<41xbf16>) -> tensor<41xbf16> {
  %square = graph.mul %x, %x : tensor<41xbf16>
  %0 = graph.rsqrt %square {epsilon = 0.25 : f64} : tensor<41xbf16>
  return %0 : tensor<41xbf16>
}
