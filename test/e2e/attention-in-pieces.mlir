// Attention and rotary embeddings as exporters write them: what they are raised
// to computes what the pieces mean.
//
// RUN: %check-model %s %t.minic

func.func @added_mask(%q: tensor<2x3x17x8xf32>, %k: tensor<2x3x19x8xf32>, %v: tensor<2x3x19x8xf32>, %keep: tensor<2x1x1x19xi1>) -> tensor<2x3x17x8xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %low = graph.constant dense<-10000.0> : tensor<f32>
  %mask = graph.select %keep, %zero, %low : (tensor<2x1x1x19xi1>, tensor<f32>, tensor<f32>) -> tensor<2x1x1x19xf32>
  %c = graph.constant dense<0.3> : tensor<f32>
  %0 = graph.matmul %q, %k {transpose_rhs} : (tensor<2x3x17x8xf32>, tensor<2x3x19x8xf32>) -> tensor<2x3x17x19xf32>
  %1 = graph.mul %0, %c : (tensor<2x3x17x19xf32>, tensor<f32>) -> tensor<2x3x17x19xf32>
  %2 = graph.add %1, %mask : (tensor<2x3x17x19xf32>, tensor<2x1x1x19xf32>) -> tensor<2x3x17x19xf32>
  %3 = graph.softmax %2 axis = 3 : tensor<2x3x17x19xf32>
  %4 = graph.matmul %3, %v : (tensor<2x3x17x19xf32>, tensor<2x3x19x8xf32>) -> tensor<2x3x17x8xf32>
  return %4 : tensor<2x3x17x8xf32>
}

// Three keys, so that some queries have none.
func.func @guarded(%q: tensor<2x3x17x8xf32>, %k: tensor<6x3x8xf32>, %v: tensor<2x3x3x5xf32>, %keep: tensor<2x1x17x3xi1>) -> tensor<2x3x17x5xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %none = graph.constant dense<0xFF800000> : tensor<f32>
  %c = graph.constant dense<0.59460354> : tensor<f32>
  %mask = graph.select %keep, %zero, %none : (tensor<2x1x17x3xi1>, tensor<f32>, tensor<f32>) -> tensor<2x1x17x3xf32>
  %k1 = graph.transpose %k [0, 2, 1] : tensor<6x3x8xf32> -> tensor<6x8x3xf32>
  %k2 = graph.reshape %k1 : tensor<6x8x3xf32> to tensor<2x3x8x3xf32>
  %k3 = graph.mul %k2, %c : (tensor<2x3x8x3xf32>, tensor<f32>) -> tensor<2x3x8x3xf32>
  %q1 = graph.mul %q, %c : (tensor<2x3x17x8xf32>, tensor<f32>) -> tensor<2x3x17x8xf32>
  %0 = graph.matmul %q1, %k3 : (tensor<2x3x17x8xf32>, tensor<2x3x8x3xf32>) -> tensor<2x3x17x3xf32>
  %1 = graph.add %0, %mask : (tensor<2x3x17x3xf32>, tensor<2x1x17x3xf32>) -> tensor<2x3x17x3xf32>
  %2 = graph.softmax %1 axis = 3 : tensor<2x3x17x3xf32>
  %3 = graph.is_nan %2 : tensor<2x3x17x3xf32> -> tensor<2x3x17x3xi1>
  %4 = graph.select %3, %zero, %2 : (tensor<2x3x17x3xi1>, tensor<f32>, tensor<2x3x17x3xf32>) -> tensor<2x3x17x3xf32>
  %5 = graph.matmul %4, %v : (tensor<2x3x17x3xf32>, tensor<2x3x3x5xf32>) -> tensor<2x3x17x5xf32>
  return %5 : tensor<2x3x17x5xf32>
}

// Keys and values repeated for two heads each, and a mask that is causal with the
// last query at the last key.
func.func @grouped(%q: tensor<1x4x2x8xf32>, %k: tensor<1x2x4x8xf32>, %v: tensor<1x2x4x8xf32>) -> tensor<1x4x2x8xf32> {
  %later = graph.constant dense<[[false, false, false, true], [false, false, false, false]]> : tensor<2x4xi1>
  %none = graph.constant dense<0xFF800000> : tensor<f32>
  %k1 = graph.reshape %k : tensor<1x2x4x8xf32> to tensor<1x2x1x4x8xf32>
  %k2 = graph.broadcast %k1 : tensor<1x2x1x4x8xf32> to tensor<1x2x2x4x8xf32>
  %k3 = graph.reshape %k2 : tensor<1x2x2x4x8xf32> to tensor<1x4x4x8xf32>
  %v1 = graph.reshape %v : tensor<1x2x4x8xf32> to tensor<1x2x1x4x8xf32>
  %v2 = graph.broadcast %v1 : tensor<1x2x1x4x8xf32> to tensor<1x2x2x4x8xf32>
  %v3 = graph.reshape %v2 : tensor<1x2x2x4x8xf32> to tensor<1x4x4x8xf32>
  %0 = graph.matmul %q, %k3 {transpose_rhs} : (tensor<1x4x2x8xf32>, tensor<1x4x4x8xf32>) -> tensor<1x4x2x4xf32>
  %1 = graph.select %later, %none, %0 : (tensor<2x4xi1>, tensor<f32>, tensor<1x4x2x4xf32>) -> tensor<1x4x2x4xf32>
  %2 = graph.softmax %1 axis = 3 : tensor<1x4x2x4xf32>
  %3 = graph.matmul %2, %v3 : (tensor<1x4x2x4xf32>, tensor<1x4x4x8xf32>) -> tensor<1x4x2x8xf32>
  return %3 : tensor<1x4x2x8xf32>
}

// Scores of bf16 in f32, capped.
func.func @capped(%q: tensor<2x3x17x8xbf16>, %k: tensor<2x3x19x8xbf16>, %v: tensor<2x3x19x8xbf16>) -> tensor<2x3x17x8xbf16> {
  %cap = graph.constant dense<2.0> : tensor<f32>
  %0 = graph.matmul %q, %k {transpose_rhs} : (tensor<2x3x17x8xbf16>, tensor<2x3x19x8xbf16>) -> tensor<2x3x17x19xf32>
  %1 = graph.div %0, %cap : (tensor<2x3x17x19xf32>, tensor<f32>) -> tensor<2x3x17x19xf32>
  %2 = graph.tanh %1 : tensor<2x3x17x19xf32>
  %3 = graph.mul %2, %cap : (tensor<2x3x17x19xf32>, tensor<f32>) -> tensor<2x3x17x19xf32>
  %4 = graph.softmax %3 axis = 3 : tensor<2x3x17x19xf32>
  %5 = graph.cast %4 : tensor<2x3x17x19xf32> to tensor<2x3x17x19xbf16>
  %6 = graph.matmul %5, %v : (tensor<2x3x17x19xbf16>, tensor<2x3x19x8xbf16>) -> tensor<2x3x17x8xbf16>
  return %6 : tensor<2x3x17x8xbf16>
}

func.func @rotated(%x: tensor<2x3x5x8xf32>, %angles: tensor<5x4xf32>) -> tensor<2x3x5x8xf32> {
  %twice = graph.concat %angles, %angles axis = 1 : (tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x8xf32>
  %cos = graph.cos %twice : tensor<5x8xf32>
  %sin = graph.sin %twice : tensor<5x8xf32>
  %first = graph.slice %x [0, 0, 0, 0] to [2, 3, 5, 4] by [1, 1, 1, 1] : tensor<2x3x5x8xf32> -> tensor<2x3x5x4xf32>
  %second = graph.slice %x [0, 0, 0, 4] to [2, 3, 5, 8] by [1, 1, 1, 1] : tensor<2x3x5x8xf32> -> tensor<2x3x5x4xf32>
  %minus = graph.neg %second : tensor<2x3x5x4xf32>
  %turned = graph.concat %minus, %first axis = 3 : (tensor<2x3x5x4xf32>, tensor<2x3x5x4xf32>) -> tensor<2x3x5x8xf32>
  %0 = graph.mul %x, %cos : (tensor<2x3x5x8xf32>, tensor<5x8xf32>) -> tensor<2x3x5x8xf32>
  %1 = graph.mul %turned, %sin : (tensor<2x3x5x8xf32>, tensor<5x8xf32>) -> tensor<2x3x5x8xf32>
  %2 = graph.add %0, %1 : tensor<2x3x5x8xf32>
  return %2 : tensor<2x3x5x8xf32>
}
