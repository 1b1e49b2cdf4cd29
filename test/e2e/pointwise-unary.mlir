// Every unary op alone: one kernel with many results, at a shape that is a
// multiple of no vector length.
//
// RUN: %check-model %s %t.minic --threads=1
// RUN: %check-model %s %t.minic --cpu-isa=v3

func.func @unary_f32(%x: tensor<7x33xf32>) -> (tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>) {
  %neg = graph.neg %x : tensor<7x33xf32>
  %abs = graph.abs %x : tensor<7x33xf32>
  %exp = graph.exp %x : tensor<7x33xf32>
  %tanh = graph.tanh %x : tensor<7x33xf32>
  %erf = graph.erf %x : tensor<7x33xf32>
  %sigmoid = graph.sigmoid %x : tensor<7x33xf32>
  %relu = graph.relu %x : tensor<7x33xf32>
  %silu = graph.silu %x : tensor<7x33xf32>
  %hard_swish = graph.hard_swish %x : tensor<7x33xf32>
  %leaky_relu = graph.leaky_relu %x : tensor<7x33xf32>
  %gelu = graph.gelu %x : tensor<7x33xf32>
  %leaky = graph.leaky_relu %x {alpha = 0.3 : f64} : tensor<7x33xf32>
  %gelu_tanh = graph.gelu %x {approximate = #graph.approximation<tanh>} : tensor<7x33xf32>
  %clamp = graph.clamp %x {lower = -0.5 : f64, upper = 0.25 : f64} : tensor<7x33xf32>
  %tenth = graph.constant dense<0.125> : tensor<f32>
  %positive = graph.add %abs, %tenth : (tensor<7x33xf32>, tensor<f32>) -> tensor<7x33xf32>
  %log = graph.log %positive : tensor<7x33xf32>
  %sqrt = graph.sqrt %positive : tensor<7x33xf32>
  %rsqrt = graph.rsqrt %positive : tensor<7x33xf32>
  return %neg, %abs, %exp, %tanh, %erf, %sigmoid, %relu, %silu, %hard_swish, %leaky_relu, %gelu, %leaky, %gelu_tanh, %clamp, %log, %sqrt, %rsqrt :
    tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>
}

func.func @unary_bf16(%x: tensor<5x17xbf16>) -> (tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>) {
  %neg = graph.neg %x : tensor<5x17xbf16>
  %abs = graph.abs %x : tensor<5x17xbf16>
  %exp = graph.exp %x : tensor<5x17xbf16>
  %tanh = graph.tanh %x : tensor<5x17xbf16>
  %erf = graph.erf %x : tensor<5x17xbf16>
  %sigmoid = graph.sigmoid %x : tensor<5x17xbf16>
  %relu = graph.relu %x : tensor<5x17xbf16>
  %silu = graph.silu %x : tensor<5x17xbf16>
  %hard_swish = graph.hard_swish %x : tensor<5x17xbf16>
  %leaky_relu = graph.leaky_relu %x : tensor<5x17xbf16>
  %gelu = graph.gelu %x : tensor<5x17xbf16>
  %leaky = graph.leaky_relu %x {alpha = 0.3 : f64} : tensor<5x17xbf16>
  %gelu_tanh = graph.gelu %x {approximate = #graph.approximation<tanh>} : tensor<5x17xbf16>
  %clamp = graph.clamp %x {lower = -0.5 : f64, upper = 0.25 : f64} : tensor<5x17xbf16>
  %tenth = graph.constant dense<0.125> : tensor<bf16>
  %positive = graph.add %abs, %tenth : (tensor<5x17xbf16>, tensor<bf16>) -> tensor<5x17xbf16>
  %log = graph.log %positive : tensor<5x17xbf16>
  %sqrt = graph.sqrt %positive : tensor<5x17xbf16>
  %rsqrt = graph.rsqrt %positive : tensor<5x17xbf16>
  return %neg, %abs, %exp, %tanh, %erf, %sigmoid, %relu, %silu, %hard_swish, %leaky_relu, %gelu, %leaky, %gelu_tanh, %clamp, %log, %sqrt, %rsqrt :
    tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>, tensor<5x17xbf16>
}

func.func @unary_f16(%x: tensor<3x19xf16>) -> (tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>) {
  %neg = graph.neg %x : tensor<3x19xf16>
  %abs = graph.abs %x : tensor<3x19xf16>
  %exp = graph.exp %x : tensor<3x19xf16>
  %tanh = graph.tanh %x : tensor<3x19xf16>
  %erf = graph.erf %x : tensor<3x19xf16>
  %sigmoid = graph.sigmoid %x : tensor<3x19xf16>
  %relu = graph.relu %x : tensor<3x19xf16>
  %silu = graph.silu %x : tensor<3x19xf16>
  %hard_swish = graph.hard_swish %x : tensor<3x19xf16>
  %leaky_relu = graph.leaky_relu %x : tensor<3x19xf16>
  %gelu = graph.gelu %x : tensor<3x19xf16>
  %leaky = graph.leaky_relu %x {alpha = 0.3 : f64} : tensor<3x19xf16>
  %gelu_tanh = graph.gelu %x {approximate = #graph.approximation<tanh>} : tensor<3x19xf16>
  %clamp = graph.clamp %x {lower = -0.5 : f64, upper = 0.25 : f64} : tensor<3x19xf16>
  %tenth = graph.constant dense<0.125> : tensor<f16>
  %positive = graph.add %abs, %tenth : (tensor<3x19xf16>, tensor<f16>) -> tensor<3x19xf16>
  %log = graph.log %positive : tensor<3x19xf16>
  %sqrt = graph.sqrt %positive : tensor<3x19xf16>
  %rsqrt = graph.rsqrt %positive : tensor<3x19xf16>
  return %neg, %abs, %exp, %tanh, %erf, %sigmoid, %relu, %silu, %hard_swish, %leaky_relu, %gelu, %leaky, %gelu_tanh, %clamp, %log, %sqrt, %rsqrt :
    tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>
}
