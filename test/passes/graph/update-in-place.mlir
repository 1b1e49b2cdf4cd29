// RUN: minic-opt %s --split-input-file --verify-diagnostics --graph-update-in-place | FileCheck %s

// All updates between the argument and the result are marked, also across
// reshapes; another update of the same cache is not.
// CHECK-LABEL: func.func @chain
func.func @chain(%x: tensor<2xf32>, %cache: tensor<8x2xf32>, %new: tensor<1x2xf32>, %at: tensor<i64>)
    -> (tensor<8x2xf32>, tensor<8x2xf32> {graph.in_place = 1 : i64}) {
  // CHECK: graph.cache_update %{{.+}}, %{{.+}} at %{{.+}} axis = 0 {graph.in_place}
  %0 = graph.cache_update %cache, %new at %at axis = 0 : (tensor<8x2xf32>, tensor<1x2xf32>, tensor<i64>) -> tensor<8x2xf32>
  %1 = graph.reshape %0 : tensor<8x2xf32> to tensor<4x4xf32>
  %2 = graph.reshape %new : tensor<1x2xf32> to tensor<2x1xf32>
  %3 = graph.concat %2, %2 axis = 0 : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<4x1xf32>
  // CHECK: graph.cache_update %{{.+}}, %{{.+}} at %{{.+}} axis = 1 {graph.in_place}
  %4 = graph.cache_update %1, %3 at %at axis = 1 : (tensor<4x4xf32>, tensor<4x1xf32>, tensor<i64>) -> tensor<4x4xf32>
  %5 = graph.reshape %4 : tensor<4x4xf32> to tensor<8x2xf32>
  // CHECK: graph.cache_update %{{.+}}, %{{.+}} at %{{.+}} axis = 0 :
  %6 = graph.cache_update %cache, %new at %at axis = 0 : (tensor<8x2xf32>, tensor<1x2xf32>, tensor<i64>) -> tensor<8x2xf32>
  return %6, %5 : tensor<8x2xf32>, tensor<8x2xf32>
}

// -----

// Nothing is declared: nothing is marked.
// CHECK-LABEL: func.func @copies
func.func @copies(%cache: tensor<8x2xf32>, %new: tensor<1x2xf32>, %at: tensor<i64>) -> tensor<8x2xf32> {
  // CHECK-NOT: graph.in_place
  %0 = graph.cache_update %cache, %new at %at axis = 0 : (tensor<8x2xf32>, tensor<1x2xf32>, tensor<i64>) -> tensor<8x2xf32>
  return %0 : tensor<8x2xf32>
}

// -----

// expected-error @below {{expects graph.in_place of result 0 to be the number of an argument (i64), got "cache"}}
func.func @name(%cache: tensor<8xf32>) -> (tensor<8xf32> {graph.in_place = "cache"}) {
  return %cache : tensor<8xf32>
}

// -----

// expected-error @below {{expects graph.in_place of result 0 to be one of 1 arguments, got 1}}
func.func @no_such_argument(%cache: tensor<8xf32>) -> (tensor<8xf32> {graph.in_place = 1 : i64}) {
  return %cache : tensor<8xf32>
}

// -----

// expected-error @below {{expects result 0, which updates argument 1 in place, to be 'tensor<4xf32>', got 'tensor<8xf32>'}}
func.func @other_type(%x: tensor<8xf32>, %cache: tensor<4xf32>) -> (tensor<8xf32> {graph.in_place = 1 : i64}) {
  return %x : tensor<8xf32>
}

// -----

// expected-error @below {{expects result 0 to come from argument 0 by graph.cache_update, got the argument itself}}
func.func @no_update(%cache: tensor<8xf32>) -> (tensor<8xf32> {graph.in_place = 0 : i64}) {
  return %cache : tensor<8xf32>
}

// -----

// expected-error @below {{expects result 0 to come from argument 0 by graph.cache_update, got argument 1}}
func.func @other_cache(%cache: tensor<8xf32>, %other: tensor<8xf32>, %new: tensor<1xf32>, %at: tensor<i64>)
    -> (tensor<8xf32> {graph.in_place = 0 : i64}) {
  %0 = graph.cache_update %other, %new at %at axis = 0 : (tensor<8xf32>, tensor<1xf32>, tensor<i64>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error @below {{expects result 0 to come from argument 0 by graph.cache_update, got graph.relu}}
func.func @other_op(%cache: tensor<8xf32>) -> (tensor<8xf32> {graph.in_place = 0 : i64}) {
  %0 = graph.relu %cache : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error @below {{expects one result to update argument 0 in place, got results 0 and 1}}
func.func @twice(%cache: tensor<8xf32>, %new: tensor<1xf32>, %at: tensor<i64>)
    -> (tensor<8xf32> {graph.in_place = 0 : i64}, tensor<8xf32> {graph.in_place = 0 : i64}) {
  %0 = graph.cache_update %cache, %new at %at axis = 0 : (tensor<8xf32>, tensor<1xf32>, tensor<i64>) -> tensor<8xf32>
  return %0, %0 : tensor<8xf32>, tensor<8xf32>
}
