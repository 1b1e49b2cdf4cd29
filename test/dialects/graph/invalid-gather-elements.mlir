// RUN: minic-opt %s --split-input-file --verify-diagnostics

func.func @axis(%x: tensor<4x8xf32>, %i: tensor<4x3xi32>) {
  // expected-error @below {{expects an axis from 0 to rank - 1 for 'tensor<4x8xf32>', got 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.gather_elements"(%x, %i) {axis = 2 : i64} : (tensor<4x8xf32>, tensor<4x3xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @empty(%x: tensor<4x0xf32>, %i: tensor<4x3xi32>) {
  // expected-error @below {{expects one element or more along axis 1, got 'tensor<4x0xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.gather_elements"(%x, %i) {axis = 1 : i64} : (tensor<4x0xf32>, tensor<4x3xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @rank(%x: tensor<4x8xf32>, %i: tensor<3xi32>) {
  // expected-error @below {{expects indices of the input's rank, no longer than the input but along axis 1, got [3] for [4, 8]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.gather_elements"(%x, %i) {axis = 1 : i64} : (tensor<4x8xf32>, tensor<3xi32>) -> tensor<3xf32>
  return
}

// -----

func.func @longer(%x: tensor<4x8xf32>, %i: tensor<5x3xi32>) {
  // expected-error @below {{expects indices of the input's rank, no longer than the input but along axis 1, got [5, 3] for [4, 8]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.gather_elements"(%x, %i) {axis = 1 : i64} : (tensor<4x8xf32>, tensor<5x3xi32>) -> tensor<5x3xf32>
  return
}
