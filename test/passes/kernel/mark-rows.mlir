// RUN: minic-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(kernel-mark-rows))' | FileCheck %s

#I = #kernel.impl<family = "any", schedule = {}>

// Rows outermost, and behind dimensions of extent 1; a transpose moves them where
// they are no pieces of memory.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<8x16xf32> {graph.dims = ["T", 16]}, %w: tensor<32x16xf32>)
    -> (tensor<1x8x32xf32>, tensor<32x8xf32>)
    attributes {graph.bucket = {entry = "e", sizes = {T = 8 : i64}, pads = {T = array<i64: 1, 1>}}} {
  // CHECK: kernel.fusion
  // CHECK-SAME: -> tensor<8x32xf32> attributes {impl = #{{.*}}, kernel.run_rows = {dim = "T", size = 8 : i64}}
  %0 = kernel.fusion (%a = %x : tensor<8x16xf32>, %b = %w : tensor<32x16xf32>) -> tensor<8x32xf32> attributes {impl = #I} {
    %l = graph.linear %a, %b : (tensor<8x16xf32>, tensor<32x16xf32>) -> tensor<8x32xf32>
    %r = graph.relu %l : tensor<8x32xf32>
    kernel.yield %r : tensor<8x32xf32>
  }
  %1 = graph.reshape %0 : tensor<8x32xf32> to tensor<1x8x32xf32>
  // CHECK: kernel.fusion
  // CHECK-SAME: -> tensor<1x8x32xf32> attributes {impl = #{{.*}}, kernel.run_rows = {dim = "T", size = 8 : i64}}
  %2 = kernel.fusion (%a = %1 : tensor<1x8x32xf32>) -> tensor<1x8x32xf32> attributes {impl = #I} {
    %e = graph.exp %a : tensor<1x8x32xf32>
    kernel.yield %e : tensor<1x8x32xf32>
  }
  // CHECK: kernel.fusion
  // CHECK-SAME: -> tensor<32x8xf32> attributes {impl = #kernel.impl<family = "any", schedule = {}>} {
  %3 = kernel.fusion (%a = %0 : tensor<8x32xf32>) -> tensor<32x8xf32> attributes {impl = #I} {
    %t = graph.transpose %a [1, 0] : tensor<8x32xf32> -> tensor<32x8xf32>
    kernel.yield %t : tensor<32x8xf32>
  }
  return %2, %3 : tensor<1x8x32xf32>, tensor<32x8xf32>
}

// -----

#I = #kernel.impl<family = "any", schedule = {}>

#padded = #kernel.layout<order = [0, 1], blocks = [], padded = [8, 16]>

// An operand in a layout of its own has its rows all the same.
// CHECK-LABEL: func.func @relaid
// CHECK-COUNT-2: kernel.run_rows
func.func @relaid(%x: tensor<8x15xf32> {graph.dims = ["T", 15]}, %w: tensor<32x15xf32>) -> tensor<8x32xf32>
    attributes {graph.bucket = {entry = "e", sizes = {T = 8 : i64}, pads = {T = array<i64: 0>}}} {
  %0 = kernel.fusion (%a = %x : tensor<8x15xf32>) -> tensor<8x15xf32> attributes {impl = #I} {
    %r = graph.relu %a : tensor<8x15xf32>
    kernel.yield %r : tensor<8x15xf32>
  }
  %1 = kernel.relayout %0 : tensor<8x15xf32> to tensor<8x15xf32, #padded>
  %2 = kernel.fusion (%a = %1 : tensor<8x15xf32, #padded>, %b = %w : tensor<32x15xf32>) -> tensor<8x32xf32> attributes {impl = #I} {
    %l = graph.linear %a, %b : (tensor<8x15xf32>, tensor<32x15xf32>) -> tensor<8x32xf32>
    kernel.yield %l : tensor<8x32xf32>
  }
  return %2 : tensor<8x32xf32>
}

// -----

#I = #kernel.impl<family = "any", schedule = {}>

// What depends on no row is needed whole, also beside rows.
// CHECK-LABEL: func.func @beside
// CHECK-NOT: kernel.run_rows
func.func @beside(%x: tensor<8x16xf32> {graph.dims = ["T", 16]}, %y: tensor<8x16xf32>)
    -> (tensor<8x16xf32>, tensor<8x16xf32>)
    attributes {graph.bucket = {entry = "e", sizes = {T = 8 : i64}, pads = {T = array<i64: 0, -1>}}} {
  %0:2 = kernel.fusion (%a = %x : tensor<8x16xf32>, %b = %y : tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) attributes {impl = #I} {
    %e = graph.exp %b : tensor<8x16xf32>
    %s = graph.relu %a : tensor<8x16xf32>
    kernel.yield %s, %e : tensor<8x16xf32>, tensor<8x16xf32>
  }
  return %0#0, %0#1 : tensor<8x16xf32>, tensor<8x16xf32>
}

// -----

#I = #kernel.impl<family = "any", schedule = {}>

// A dimension that is masked, which was checked: what is behind the rows is read.
// CHECK-LABEL: func.func @checked
// CHECK-NOT: kernel.run_rows
func.func @checked(%x: tensor<8x16xf32> {graph.dims = ["T", 16]}) -> tensor<8x16xf32>
    attributes {graph.bucket = {entry = "e", sizes = {T = 8 : i64}, pads = {T = array<i64: 0>}, checks = {T = "by a mask"}}} {
  %0 = kernel.fusion (%a = %x : tensor<8x16xf32>) -> tensor<8x16xf32> attributes {impl = #I} {
    %s = graph.relu %a : tensor<8x16xf32>
    kernel.yield %s : tensor<8x16xf32>
  }
  return %0 : tensor<8x16xf32>
}

// -----

#I = #kernel.impl<family = "any", schedule = {}>

// A bucket whose dimension is not padded.
// CHECK-LABEL: func.func @exact
// CHECK-NOT: kernel.run_rows
func.func @exact(%x: tensor<8x16xf32> {graph.dims = ["T", 16]}) -> tensor<8x16xf32>
    attributes {graph.bucket = {entry = "e", sizes = {T = 8 : i64}}} {
  %0 = kernel.fusion (%a = %x : tensor<8x16xf32>) -> tensor<8x16xf32> attributes {impl = #I} {
    %s = graph.relu %a : tensor<8x16xf32>
    kernel.yield %s : tensor<8x16xf32>
  }
  return %0 : tensor<8x16xf32>
}

// -----

#I = #kernel.impl<family = "any", schedule = {}>

// Places that come with the inputs are padded with 0, which is a place.
// CHECK-LABEL: func.func @given_places
func.func @given_places(%t: tensor<9x16xf32>, %i: tensor<8xi64> {graph.dims = ["T"]}) -> tensor<8x16xf32>
    attributes {graph.bucket = {entry = "e", sizes = {T = 8 : i64}, pads = {T = array<i64: 0>}}} {
  // CHECK: kernel.run_rows
  %0 = kernel.fusion (%a = %t : tensor<9x16xf32>, %b = %i : tensor<8xi64>) -> tensor<8x16xf32> attributes {impl = #I} {
    %g = graph.gather %a, %b axis = 0 : (tensor<9x16xf32>, tensor<8xi64>) -> tensor<8x16xf32>
    kernel.yield %g : tensor<8x16xf32>
  }
  return %0 : tensor<8x16xf32>
}

// -----

#I = #kernel.impl<family = "any", schedule = {}>

// Places that were computed: where nobody computed them they would be anywhere.
// CHECK-LABEL: func.func @computed_places
// CHECK-NOT: kernel.run_rows
func.func @computed_places(%t: tensor<9x16xf32>, %i: tensor<8xi32> {graph.dims = ["T"]}) -> tensor<8x16xf32>
    attributes {graph.bucket = {entry = "e", sizes = {T = 8 : i64}, pads = {T = array<i64: 0>}}} {
  %0 = kernel.fusion (%a = %i : tensor<8xi32>) -> tensor<8xi64> attributes {impl = #I} {
    %c = graph.cast %a : tensor<8xi32> to tensor<8xi64>
    kernel.yield %c : tensor<8xi64>
  }
  %1 = kernel.fusion (%a = %t : tensor<9x16xf32>, %b = %0 : tensor<8xi64>) -> tensor<8x16xf32> attributes {impl = #I} {
    %g = graph.gather %a, %b axis = 0 : (tensor<9x16xf32>, tensor<8xi64>) -> tensor<8x16xf32>
    kernel.yield %g : tensor<8x16xf32>
  }
  return %1 : tensor<8x16xf32>
}

// -----

#I = #kernel.impl<family = "any", schedule = {}>

// What a kernel of the user's does with rows that nobody computed is not known.
// CHECK-LABEL: func.func @user_kernel
// CHECK-NOT: kernel.run_rows
func.func @user_kernel(%x: tensor<8x16xf32> {graph.dims = ["T", 16]}) -> tensor<8x16xf32>
    attributes {graph.bucket = {entry = "e", sizes = {T = 8 : i64}, pads = {T = array<i64: 0>}}} {
  %0 = kernel.fusion (%a = %x : tensor<8x16xf32>) -> tensor<8x16xf32> attributes {impl = #I} {
    %s = graph.relu %a : tensor<8x16xf32>
    kernel.yield %s : tensor<8x16xf32>
  }
  %1 = kernel.fusion (%a = %0 : tensor<8x16xf32>) -> tensor<8x16xf32> attributes {impl = #I} {
    %k = graph.kernel @k(%a) {language = "c", sources = [""], entry = "k"} : (tensor<8x16xf32>) -> tensor<8x16xf32> body {
    ^bb0(%b: tensor<8x16xf32>):
      %e = graph.exp %b : tensor<8x16xf32>
      graph.yield %e : tensor<8x16xf32>
    }
    kernel.yield %k : tensor<8x16xf32>
  }
  return %1 : tensor<8x16xf32>
}

// -----

#I = #kernel.impl<family = "any", schedule = {}>

// Several results, and two dimensions: a fusion stops behind the rows of one.
// CHECK-LABEL: func.func @two_dims
func.func @two_dims(%x: tensor<4x8x16xf32> {graph.dims = ["B", "T", 16]}) -> tensor<4x8x16xf32>
    attributes {graph.bucket = {entry = "e", sizes = {B = 4 : i64, T = 8 : i64}, pads = {B = array<i64: 0>, T = array<i64: 1>}}} {
  // CHECK: kernel.run_rows = {dim = "B", size = 4 : i64}
  %0 = kernel.fusion (%a = %x : tensor<4x8x16xf32>) -> tensor<4x8x16xf32> attributes {impl = #I} {
    %s = graph.relu %a : tensor<4x8x16xf32>
    kernel.yield %s : tensor<4x8x16xf32>
  }
  return %0 : tensor<4x8x16xf32>
}
