// Attention by its stages: masks, what leaves out keys, heads that share one,
// lengths, dtypes, scores far apart, and a decode step.
//
// RUN: %check-model %s %t.minic
// RUN: %check-model %s %t.minic --threads=1 --gemm-backends=generated

func.func @plain(%q: tensor<2x3x17x8xf32>, %k: tensor<2x3x19x8xf32>, %v: tensor<2x3x19x8xf32>) -> tensor<2x3x17x8xf32> {
  %0 = graph.attention %q, %k, %v : (tensor<2x3x17x8xf32>, tensor<2x3x19x8xf32>, tensor<2x3x19x8xf32>) -> tensor<2x3x17x8xf32>
  return %0 : tensor<2x3x17x8xf32>
}

func.func @causal(%q: tensor<2x2x17x40xbf16>, %k: tensor<2x2x17x40xbf16>, %v: tensor<2x2x17x40xbf16>) -> tensor<2x2x17x40xbf16> {
  %0 = graph.attention %q, %k, %v {causal = #graph.causal<upper_left>} : (tensor<2x2x17x40xbf16>, tensor<2x2x17x40xbf16>, tensor<2x2x17x40xbf16>) -> tensor<2x2x17x40xbf16>
  return %0 : tensor<2x2x17x40xbf16>
}

func.func @grouped_last_rows(%q: tensor<1x6x17x8xf16>, %k: tensor<1x2x77x8xf16>, %v: tensor<1x2x77x40xf16>) -> tensor<1x6x17x40xf16> {
  %0 = graph.attention %q, %k, %v {causal = #graph.causal<lower_right>} : (tensor<1x6x17x8xf16>, tensor<1x2x77x8xf16>, tensor<1x2x77x40xf16>) -> tensor<1x6x17x40xf16>
  return %0 : tensor<1x6x17x40xf16>
}

func.func @window_and_cap(%q: tensor<1x2x17x8xf32>, %k: tensor<1x1x17x8xf32>, %v: tensor<1x1x17x8xf32>) -> tensor<1x2x17x8xf32> {
  %0 = graph.attention %q, %k, %v {window = 5 : i64, soft_cap = 0.5 : f64} : (tensor<1x2x17x8xf32>, tensor<1x1x17x8xf32>, tensor<1x1x17x8xf32>) -> tensor<1x2x17x8xf32>
  return %0 : tensor<1x2x17x8xf32>
}

func.func @peaked(%q: tensor<1x2x17x40xf32>, %k: tensor<1x2x77x40xf32>, %v: tensor<1x2x77x8xf32>) -> tensor<1x2x17x8xf32> {
  %0 = graph.attention %q, %k, %v {scale = 20.0 : f64} : (tensor<1x2x17x40xf32>, tensor<1x2x77x40xf32>, tensor<1x2x77x8xf32>) -> tensor<1x2x17x8xf32>
  return %0 : tensor<1x2x17x8xf32>
}

func.func @peaked_bf16(%q: tensor<1x2x17x40xbf16>, %k: tensor<1x2x77x40xbf16>, %v: tensor<1x2x77x8xbf16>) -> tensor<1x2x17x8xbf16> {
  %0 = graph.attention %q, %k, %v {scale = 20.0 : f64} : (tensor<1x2x17x40xbf16>, tensor<1x2x77x40xbf16>, tensor<1x2x77x8xbf16>) -> tensor<1x2x17x8xbf16>
  return %0 : tensor<1x2x17x8xbf16>
}

func.func @one_key(%q: tensor<2x2x3x8xf32>, %k: tensor<2x2x1x8xf32>, %v: tensor<2x2x1x8xf32>) -> tensor<2x2x3x8xf32> {
  %0 = graph.attention %q, %k, %v : (tensor<2x2x3x8xf32>, tensor<2x2x1x8xf32>, tensor<2x2x1x8xf32>) -> tensor<2x2x3x8xf32>
  return %0 : tensor<2x2x3x8xf32>
}

func.func @keys_masked(%q: tensor<2x3x17x8xf32>, %k: tensor<2x3x19x8xf32>, %v: tensor<2x3x19x8xf32>, %m: tensor<2x1x1x19xi1>) -> tensor<2x3x17x8xf32> {
  %0 = graph.attention %q, %k, %v mask %m : (tensor<2x3x17x8xf32>, tensor<2x3x19x8xf32>, tensor<2x3x19x8xf32>, tensor<2x1x1x19xi1>) -> tensor<2x3x17x8xf32>
  return %0 : tensor<2x3x17x8xf32>
}

func.func @queries_masked(%q: tensor<2x2x7x8xbf16>, %k: tensor<2x2x19x8xbf16>, %v: tensor<2x2x19x8xbf16>, %m: tensor<7x19xi1>) -> tensor<2x2x7x8xbf16> {
  %0 = graph.attention %q, %k, %v mask %m : (tensor<2x2x7x8xbf16>, tensor<2x2x19x8xbf16>, tensor<2x2x19x8xbf16>, tensor<7x19xi1>) -> tensor<2x2x7x8xbf16>
  return %0 : tensor<2x2x7x8xbf16>
}

func.func @all_masked(%q: tensor<2x4x7x8xf16>, %k: tensor<2x2x19x8xf16>, %v: tensor<2x2x19x8xf16>, %m: tensor<2x4x7x19xi1>) -> tensor<2x4x7x8xf16> {
  %0 = graph.attention %q, %k, %v mask %m {causal = #graph.causal<lower_right>} : (tensor<2x4x7x8xf16>, tensor<2x2x19x8xf16>, tensor<2x2x19x8xf16>, tensor<2x4x7x19xi1>) -> tensor<2x4x7x8xf16>
  return %0 : tensor<2x4x7x8xf16>
}

func.func @shared_mask_of_groups(%q: tensor<2x4x7x8xf32>, %k: tensor<2x2x19x8xf32>, %v: tensor<2x2x19x8xf32>, %m: tensor<2x1x7x19xi1>) -> tensor<2x4x7x8xf32> {
  %0 = graph.attention %q, %k, %v mask %m : (tensor<2x4x7x8xf32>, tensor<2x2x19x8xf32>, tensor<2x2x19x8xf32>, tensor<2x1x7x19xi1>) -> tensor<2x4x7x8xf32>
  return %0 : tensor<2x4x7x8xf32>
}

func.func @bias(%q: tensor<2x3x17x8xf32>, %k: tensor<2x3x19x8xf32>, %v: tensor<2x3x19x8xf32>, %m: tensor<3x17x19xf32>) -> tensor<2x3x17x8xf32> {
  %0 = graph.attention %q, %k, %v mask %m : (tensor<2x3x17x8xf32>, tensor<2x3x19x8xf32>, tensor<2x3x19x8xf32>, tensor<3x17x19xf32>) -> tensor<2x3x17x8xf32>
  return %0 : tensor<2x3x17x8xf32>
}

func.func @bias_bf16(%q: tensor<2x2x17x40xbf16>, %k: tensor<2x2x19x40xbf16>, %v: tensor<2x2x19x8xbf16>, %m: tensor<2x1x1x19xbf16>) -> tensor<2x2x17x8xbf16> {
  %0 = graph.attention %q, %k, %v mask %m : (tensor<2x2x17x40xbf16>, tensor<2x2x19x40xbf16>, tensor<2x2x19x8xbf16>, tensor<2x1x1x19xbf16>) -> tensor<2x2x17x8xbf16>
  return %0 : tensor<2x2x17x8xbf16>
}

func.func @length(%q: tensor<2x2x5x8xf32>, %k: tensor<2x2x6x8xf32>, %v: tensor<2x2x6x8xf32>, %n: tensor<2xi64>) -> tensor<2x2x5x8xf32> {
  %0 = graph.attention %q, %k, %v key_length %n : (tensor<2x2x5x8xf32>, tensor<2x2x6x8xf32>, tensor<2x2x6x8xf32>, tensor<2xi64>) -> tensor<2x2x5x8xf32>
  return %0 : tensor<2x2x5x8xf32>
}

func.func @decode(%q: tensor<1x8x1x40xbf16>, %k: tensor<1x2x77x40xbf16>, %v: tensor<1x2x77x40xbf16>, %n: tensor<i64>) -> tensor<1x8x1x40xbf16> {
  %0 = graph.attention %q, %k, %v key_length %n {causal = #graph.causal<lower_right>} : (tensor<1x8x1x40xbf16>, tensor<1x2x77x40xbf16>, tensor<1x2x77x40xbf16>, tensor<i64>) -> tensor<1x8x1x40xbf16>
  return %0 : tensor<1x8x1x40xbf16>
}

func.func @decode_f16(%q: tensor<2x4x1x8xf16>, %k: tensor<2x4x17x8xf16>, %v: tensor<2x4x17x8xf16>, %n: tensor<2xi32>) -> tensor<2x4x1x8xf16> {
  %0 = graph.attention %q, %k, %v key_length %n : (tensor<2x4x1x8xf16>, tensor<2x4x17x8xf16>, tensor<2x4x17x8xf16>, tensor<2xi32>) -> tensor<2x4x1x8xf16>
  return %0 : tensor<2x4x1x8xf16>
}

func.func @last_rows_of_length(%q: tensor<2x4x3x8xf32>, %k: tensor<2x2x6x8xf32>, %v: tensor<2x2x6x8xf32>, %n: tensor<2xi32>) -> tensor<2x4x3x8xf32> {
  %0 = graph.attention %q, %k, %v key_length %n {causal = #graph.causal<lower_right>, window = 4 : i64} : (tensor<2x4x3x8xf32>, tensor<2x2x6x8xf32>, tensor<2x2x6x8xf32>, tensor<2xi32>) -> tensor<2x4x3x8xf32>
  return %0 : tensor<2x4x3x8xf32>
}

func.func @with_logarithm(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x19x8xf32>, %v: tensor<2x2x19x8xf32>, %m: tensor<5x19xi1>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>) {
  %0:2 = graph.attention %q, %k, %v mask %m {with_log_sum_exp} : (tensor<2x4x5x8xf32>, tensor<2x2x19x8xf32>, tensor<2x2x19x8xf32>, tensor<5x19xi1>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>)
  return %0#0, %0#1 : tensor<2x4x5x8xf32>, tensor<2x4x5xf32>
}

func.func @logarithm_alone(%q: tensor<2x4x5x8xf16>, %k: tensor<2x2x19x8xf16>, %v: tensor<2x2x19x8xf16>, %m: tensor<5x19xi1>) -> tensor<2x4x5xf32> {
  %0:2 = graph.attention %q, %k, %v mask %m {with_log_sum_exp} : (tensor<2x4x5x8xf16>, tensor<2x2x19x8xf16>, tensor<2x2x19x8xf16>, tensor<5x19xi1>) -> (tensor<2x4x5x8xf16>, tensor<2x4x5xf32>)
  return %0#1 : tensor<2x4x5xf32>
}

// As models have it: heads of one row, projections on both sides.
func.func @block(%x: tensor<2x17x24xf32>, %w: tensor<72x24xf32>, %b: tensor<72xf32>, %o: tensor<24x24xf32>) -> tensor<2x17x24xf32> {
  %0 = graph.linear %x, %w, %b : (tensor<2x17x24xf32>, tensor<72x24xf32>, tensor<72xf32>) -> tensor<2x17x72xf32>
  %1 = graph.reshape %0 : tensor<2x17x72xf32> to tensor<2x17x3x3x8xf32>
  %2 = graph.transpose %1 [2, 0, 3, 1, 4] : tensor<2x17x3x3x8xf32> -> tensor<3x2x3x17x8xf32>
  %3 = graph.slice %2 [0, 0, 0, 0, 0] to [1, 2, 3, 17, 8] by [1, 1, 1, 1, 1] : tensor<3x2x3x17x8xf32> -> tensor<1x2x3x17x8xf32>
  %4 = graph.slice %2 [1, 0, 0, 0, 0] to [2, 2, 3, 17, 8] by [1, 1, 1, 1, 1] : tensor<3x2x3x17x8xf32> -> tensor<1x2x3x17x8xf32>
  %5 = graph.slice %2 [2, 0, 0, 0, 0] to [3, 2, 3, 17, 8] by [1, 1, 1, 1, 1] : tensor<3x2x3x17x8xf32> -> tensor<1x2x3x17x8xf32>
  %q = graph.reshape %3 : tensor<1x2x3x17x8xf32> to tensor<2x3x17x8xf32>
  %k = graph.reshape %4 : tensor<1x2x3x17x8xf32> to tensor<2x3x17x8xf32>
  %v = graph.reshape %5 : tensor<1x2x3x17x8xf32> to tensor<2x3x17x8xf32>
  %6 = graph.attention %q, %k, %v {causal = #graph.causal<upper_left>} : (tensor<2x3x17x8xf32>, tensor<2x3x17x8xf32>, tensor<2x3x17x8xf32>) -> tensor<2x3x17x8xf32>
  %7 = graph.transpose %6 [0, 2, 1, 3] : tensor<2x3x17x8xf32> -> tensor<2x17x3x8xf32>
  %8 = graph.reshape %7 : tensor<2x17x3x8xf32> to tensor<2x17x24xf32>
  %9 = graph.linear %8, %o : (tensor<2x17x24xf32>, tensor<24x24xf32>) -> tensor<2x17x24xf32>
  return %9 : tensor<2x17x24xf32>
}
