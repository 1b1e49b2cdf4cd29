// RUN: minic-opt %s --split-input-file --verify-diagnostics

func.func @log_softmax_axis(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects an axis from 0 to rank - 1 for 'tensor<4x8xf32>', got 2}}
  %0 = graph.log_softmax %x axis = 2 : tensor<4x8xf32>
  return
}

// -----

func.func @log_softmax_empty(%x: tensor<4x0xf32>) {
  // expected-error @below {{expects one element or more along axis 1, got 'tensor<4x0xf32>'}}
  %0 = graph.log_softmax %x axis = 1 : tensor<4x0xf32>
  return
}

// -----

func.func @layer_norm_scale(%x: tensor<4x8xf32>, %w: tensor<4xf32>) {
  // expected-error @below {{expects scale [8], got [4]}}
  %0 = graph.layer_norm %x scale %w axis = 1 : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @layer_norm_bias(%x: tensor<2x4x8xf32>, %w: tensor<8xf32>) {
  // expected-error @below {{expects bias [4, 8], got [8]}}
  %0 = graph.layer_norm %x bias %w axis = 1 : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  return
}

// -----

func.func @layer_norm_dtype(%x: tensor<4x8xbf16>, %w: tensor<8xf32>) {
  // expected-error @below {{expects operands of one dtype, got 'bf16' and 'f32'}}
  %0 = graph.layer_norm %x scale %w axis = 1 : (tensor<4x8xbf16>, tensor<8xf32>) -> tensor<4x8xbf16>
  return
}

// -----

func.func @layer_norm_axis(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects an axis from 0 to rank - 1 for 'tensor<4x8xf32>', got -1}}
  %0 = graph.layer_norm %x axis = -1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @layer_norm_empty(%x: tensor<4x0x2xf32>) {
  // expected-error @below {{expects one element or more along axis 1, got 'tensor<4x0x2xf32>'}}
  %0 = graph.layer_norm %x axis = 1 : (tensor<4x0x2xf32>) -> tensor<4x0x2xf32>
  return
}

// -----

func.func @rms_norm_epsilon(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects an epsilon of 0 or more, got -1}}
  %0 = graph.rms_norm %x axis = 1 {epsilon = -1.0 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @group_norm_rank(%x: tensor<8xf32>) {
  // expected-error @below {{expects input [N, C, ...], got [8]}}
  %0 = graph.group_norm %x groups = 1 : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @group_norm_groups(%x: tensor<1x6x4xf32>) {
  // expected-error @below {{expects groups that divide 6 channels, got 4}}
  %0 = graph.group_norm %x groups = 4 : (tensor<1x6x4xf32>) -> tensor<1x6x4xf32>
  return
}

// -----

func.func @group_norm_dynamic(%x: tensor<1x?x4xf32>) {
  // expected-error @below {{expects a number of channels that is known, got 'tensor<1x?x4xf32>'}}
  %0 = graph.group_norm %x groups = 4 : (tensor<1x?x4xf32>) -> tensor<1x?x4xf32>
  return
}

// -----

func.func @arg_reduce_axis(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects an axis from 0 to rank - 1 for 'tensor<4x8xf32>', got 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.arg_reduce"(%x) {axis = 2 : i64, extreme = #graph<extreme max>} : (tensor<4x8xf32>) -> tensor<4xi64>
  return
}

// -----

func.func @arg_reduce_empty(%x: tensor<4x0xf32>) {
  // expected-error @below {{expects one element or more along axis 1, got 'tensor<4x0xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.arg_reduce"(%x) {axis = 1 : i64, extreme = #graph<extreme max>} : (tensor<4x0xf32>) -> tensor<4xi64>
  return
}

// -----

func.func @top_k_k(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects k from 1 to 8, got 9}}
  // expected-error @below {{failed to infer returned types}}
  %0:2 = "graph.top_k"(%x) {axis = 1 : i64, k = 9 : i64, extreme = #graph<extreme max>} : (tensor<4x8xf32>) -> (tensor<4x9xf32>, tensor<4x9xi64>)
  return
}

// -----

func.func @cumsum_axis(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects an axis from 0 to rank - 1 for 'tensor<4x8xf32>', got 5}}
  %0 = graph.cumsum %x axis = 5 : tensor<4x8xf32>
  return
}
