// RUN: minic-opt %s --split-input-file --verify-diagnostics

func.func @attention_rank(%q: tensor<8x3x4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x4xf32>) {
  // expected-error @below {{expects query [B, H, T, D], key [B, G, S, D] and value [B, G, S, E], got [8, 3, 4], [2, 5, 4] and [2, 5, 4]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.attention"(%q, %k, %v) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<8x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>) -> tensor<8x3x4xf32>
  return
}

// -----

func.func @attention_sizes(%q: tensor<2x8x3x4xf32>, %k: tensor<2x2x5x6xf32>, %v: tensor<2x2x5x4xf32>) {
  // expected-error @below {{expects B, D, G and S of query, key and value to agree, got [2, 8, 3, 4], [2, 2, 5, 6] and [2, 2, 5, 4]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.attention"(%q, %k, %v) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<2x8x3x4xf32>, tensor<2x2x5x6xf32>, tensor<2x2x5x4xf32>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @attention_heads(%q: tensor<2x8x3x4xf32>, %k: tensor<2x3x5x4xf32>, %v: tensor<2x3x5x4xf32>) {
  // expected-error @below {{expects heads of key that divide 8 heads of query, got 3}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.attention"(%q, %k, %v) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<2x8x3x4xf32>, tensor<2x3x5x4xf32>, tensor<2x3x5x4xf32>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @attention_mask(%q: tensor<2x8x3x4xf32>, %k: tensor<2x2x5x4xf32>, %v: tensor<2x2x5x4xf32>, %m: tensor<4x5xi1>) {
  // expected-error @below {{expects a mask that broadcasts to [2, 8, 3, 5], got [4, 5]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.attention"(%q, %k, %v, %m) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<2x8x3x4xf32>, tensor<2x2x5x4xf32>, tensor<2x2x5x4xf32>, tensor<4x5xi1>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @attention_length(%q: tensor<2x8x3x4xf32>, %k: tensor<2x2x5x4xf32>, %v: tensor<2x2x5x4xf32>, %n: tensor<3xi64>) {
  // expected-error @below {{expects key_length [] or [2], got [3]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.attention"(%q, %k, %v, %n) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>} : (tensor<2x8x3x4xf32>, tensor<2x2x5x4xf32>, tensor<2x2x5x4xf32>, tensor<3xi64>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @attention_window(%q: tensor<2x8x3x4xf32>, %k: tensor<2x2x5x4xf32>, %v: tensor<2x2x5x4xf32>) {
  // expected-error @below {{expects a window of 1 or more, got 0}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.attention"(%q, %k, %v) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, window = 0 : i64} : (tensor<2x8x3x4xf32>, tensor<2x2x5x4xf32>, tensor<2x2x5x4xf32>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @attention_soft_cap(%q: tensor<2x8x3x4xf32>, %k: tensor<2x2x5x4xf32>, %v: tensor<2x2x5x4xf32>) {
  // expected-error @below {{expects a soft_cap above 0, got 0}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.attention"(%q, %k, %v) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, soft_cap = 0.0 : f64} : (tensor<2x8x3x4xf32>, tensor<2x2x5x4xf32>, tensor<2x2x5x4xf32>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @attention_dtype(%q: tensor<2x8x3x4xf32>, %k: tensor<2x8x3x4xf16>) {
  // expected-error @below {{expects operands of one dtype, got 'f32', 'f16' and 'f16'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.attention"(%q, %k, %k) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<2x8x3x4xf32>, tensor<2x8x3x4xf16>, tensor<2x8x3x4xf16>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @rotary_shapes(%x: tensor<3x8xf32>, %c: tensor<3x4xf32>, %s: tensor<3x3xf32>) {
  // expected-error @below {{expects cos and sin of one shape [..., P], of at most the rank of 'tensor<3x8xf32>', got [3, 4] and [3, 3]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.rotary"(%x, %c, %s) : (tensor<3x8xf32>, tensor<3x4xf32>, tensor<3x3xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @rotary_rows(%x: tensor<3x8xf32>, %c: tensor<2x4xf32>) {
  // expected-error @below {{expects cos that broadcasts to [3] but for its last dimension, got [2, 4]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.rotary"(%x, %c, %c) : (tensor<3x8xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @rotary_pairs(%x: tensor<3x8xf32>, %c: tensor<3x5xf32>) {
  // expected-error @below {{expects at most 4 pairs in 8 elements, got 5}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.rotary"(%x, %c, %c) : (tensor<3x8xf32>, tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @rotary_dtype(%x: tensor<3x8xf32>, %c: tensor<3x4xf16>) {
  // expected-error @below {{expects operands of one dtype, got 'f32', 'f16' and 'f16'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.rotary"(%x, %c, %c) : (tensor<3x8xf32>, tensor<3x4xf16>, tensor<3x4xf16>) -> tensor<3x8xf32>
  return
}
