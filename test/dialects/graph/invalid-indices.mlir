// RUN: minic-opt %s --split-input-file --verify-diagnostics

func.func @gather_axis(%x: tensor<4x8xf32>, %i: tensor<3xi32>) {
  // expected-error @below {{expects an axis from 0 to rank - 1 for 'tensor<4x8xf32>', got 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.gather"(%x, %i) {axis = 2 : i64} : (tensor<4x8xf32>, tensor<3xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_empty(%x: tensor<0x8xf32>, %i: tensor<3xi32>) {
  // expected-error @below {{expects one element or more along axis 0, got 'tensor<0x8xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.gather"(%x, %i) {axis = 0 : i64} : (tensor<0x8xf32>, tensor<3xi32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @gather_dtype(%x: tensor<4x8xf32>, %i: tensor<3xf32>) {
  // expected-error @below {{operand #1 must be ranked tensor of a supported index dtype (i32 or i64) values, but got 'tensor<3xf32>'}}
  %0 = "graph.gather"(%x, %i) {axis = 0 : i64} : (tensor<4x8xf32>, tensor<3xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @concat_nothing() {
  // expected-error @below {{expects an input, got 0}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.concat"() {axis = 0 : i64} : () -> tensor<3x8xf32>
  return
}

// -----

func.func @concat_shape(%x: tensor<4x8xf32>, %y: tensor<3x8xf32>) {
  // expected-error @below {{expects shapes that agree but for axis 1, got [4, 8] and [3, 8]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.concat"(%x, %y) {axis = 1 : i64} : (tensor<4x8xf32>, tensor<3x8xf32>) -> tensor<4x16xf32>
  return
}

// -----

func.func @concat_rank(%x: tensor<4x8xf32>, %y: tensor<8xf32>) {
  // expected-error @below {{expects shapes that agree but for axis 1, got [4, 8] and [8]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.concat"(%x, %y) {axis = 1 : i64} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x16xf32>
  return
}

// -----

func.func @concat_dtype(%x: tensor<4x8xf32>, %y: tensor<4x8xf16>) {
  // expected-error @below {{expects operands of one dtype, got 'f32' and 'f16'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.concat"(%x, %y) {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x8xf16>) -> tensor<4x16xf32>
  return
}

// -----

func.func @slice_count(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects 2 starts, one per dimension, got 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.slice"(%x) {starts = array<i64: 0>, ends = array<i64: 4, 8>, steps = array<i64: 1, 1>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @slice_range(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects 0 <= start <= end <= extent and a step of 1 or more, got 2 to 9 by 1 in dimension 1 of 'tensor<4x8xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.slice"(%x) {starts = array<i64: 0, 2>, ends = array<i64: 4, 9>, steps = array<i64: 1, 1>} : (tensor<4x8xf32>) -> tensor<4x7xf32>
  return
}

// -----

func.func @slice_step(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects 0 <= start <= end <= extent and a step of 1 or more, got 2 to 8 by 0 in dimension 1 of 'tensor<4x8xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.slice"(%x) {starts = array<i64: 0, 2>, ends = array<i64: 4, 8>, steps = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @pad_negative(%x: tensor<4xf32>) {
  // expected-error @below {{expects extents from 0 to 2147483647, got [-1] before and [0] after}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.pad"(%x) {before = array<i64: -1>, after = array<i64: 0>} : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @pad_count(%x: tensor<4xf32>) {
  // expected-error @below {{expects 1 extents before, one per dimension, got 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.pad"(%x) {before = array<i64: 1, 1>, after = array<i64: 0>} : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @pad_value(%x: tensor<4xi8>) {
  // expected-error @below {{expects a value of dtype 'i8', got 2.000000e+02}}
  %0 = graph.pad %x before [1] after [0] {value = 200.0 : f64} : tensor<4xi8> -> tensor<5xi8>
  return
}

// -----

func.func @broadcast_shape(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects a shape that [4, 8] broadcasts to, got [3, 8]}}
  %0 = graph.broadcast %x : tensor<4x8xf32> to tensor<3x8xf32>
  return
}

// -----

func.func @broadcast_smaller(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects a shape that [4, 8] broadcasts to, got [1, 8]}}
  %0 = graph.broadcast %x : tensor<4x8xf32> to tensor<1x8xf32>
  return
}

// -----

func.func @broadcast_dtype(%x: tensor<8xf32>) {
  // expected-error @below {{expects the dtype to stay 'f32', got 'f16'}}
  %0 = graph.broadcast %x : tensor<8xf32> to tensor<4x8xf16>
  return
}

// -----

func.func @iota_axis() {
  // expected-error @below {{expects an axis from 0 to rank - 1 for 'tensor<4xi32>', got 1}}
  %0 = graph.iota axis = 1 : tensor<4xi32>
  return
}

// -----

func.func @cache_update_axis(%c: tensor<4x8xf32>, %x: tensor<1x8xf32>, %p: tensor<i64>) {
  // expected-error @below {{expects an axis from 0 to rank - 1 for 'tensor<4x8xf32>', got 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.cache_update"(%c, %x, %p) {axis = 2 : i64} : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i64>) -> tensor<4x8xf32>
  return
}

// -----

func.func @cache_update_fits(%c: tensor<4x8xf32>, %x: tensor<5x8xf32>, %p: tensor<i64>) {
  // expected-error @below {{expects an update that fits [4, 8] along axis 0, got [5, 8]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.cache_update"(%c, %x, %p) {axis = 0 : i64} : (tensor<4x8xf32>, tensor<5x8xf32>, tensor<i64>) -> tensor<4x8xf32>
  return
}

// -----

func.func @cache_update_dtype(%c: tensor<4x8xf32>, %x: tensor<1x8xf16>, %p: tensor<i64>) {
  // expected-error @below {{expects operands of one dtype, got 'f32' and 'f16'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.cache_update"(%c, %x, %p) {axis = 0 : i64} : (tensor<4x8xf32>, tensor<1x8xf16>, tensor<i64>) -> tensor<4x8xf32>
  return
}

// -----

func.func @cache_update_position(%c: tensor<4x8xf32>, %x: tensor<1x8xf32>, %p: tensor<2xi64>) {
  // expected-error @below {{expects position [], got [2]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.cache_update"(%c, %x, %p) {axis = 0 : i64} : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<2xi64>) -> tensor<4x8xf32>
  return
}
