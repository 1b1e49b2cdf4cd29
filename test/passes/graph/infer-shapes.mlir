// RUN: minic-opt %s --split-input-file --verify-diagnostics --graph-infer-shapes | FileCheck %s

// What a reshape leaves open follows from the number of elements, and the rest
// of the function from that.
// CHECK-LABEL: func.func @reshape
// CHECK-SAME: -> tensor<2x4xbf16>
func.func @reshape(%x: tensor<4x8xf32>, %w: tensor<4x16xf32>) -> tensor<?x4xbf16> {
  // CHECK: graph.reshape {{.*}} to tensor<2x16xf32>
  // CHECK: graph.relu {{.*}} : tensor<2x16xf32>
  // CHECK: graph.linear {{.*}} -> tensor<2x4xf32>
  // CHECK: graph.cast {{.*}} to tensor<2x4xbf16>
  %0 = graph.reshape %x : tensor<4x8xf32> to tensor<?x16xf32>
  %1 = graph.relu %0 : tensor<?x16xf32>
  %2 = graph.linear %1, %w : (tensor<?x16xf32>, tensor<4x16xf32>) -> tensor<?x4xf32>
  %3 = graph.cast %2 : tensor<?x4xf32> to tensor<?x4xbf16>
  return %3 : tensor<?x4xbf16>
}

// -----

// Static shapes stay; a dimension of the caller's stays open.
// CHECK-LABEL: func.func @open
// CHECK: graph.exp {{.*}} : tensor<?x8xf32>
func.func @open(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = graph.exp %x : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

func.func @indivisible(%x: tensor<4x8xf32>) -> tensor<?x5xf32> {
  // expected-error @below {{expects the number of elements to stay 32, got a multiple of 5}}
  %0 = graph.reshape %x : tensor<4x8xf32> to tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}

// -----

// So does one of two static shapes, where the operand's was open before.
func.func @unequal(%x: tensor<4x8xf32>) -> tensor<3x5xf32> {
  %0 = graph.reshape %x : tensor<4x8xf32> to tensor<?x4xf32>
  // expected-error @below {{expects the number of elements to stay 32, got 15}}
  %1 = graph.reshape %0 : tensor<?x4xf32> to tensor<3x5xf32>
  return %1 : tensor<3x5xf32>
}

// -----

func.func @declares(%x: tensor<4x8xf32>) -> tensor<5x4xbf16> {
  %0 = graph.reshape %x : tensor<4x8xf32> to tensor<?x4xf32>
  // expected-error @below {{declares a result 'tensor<5x4xbf16>', its operands give 'tensor<8x4xbf16>'}}
  %1 = graph.cast %0 : tensor<?x4xf32> to tensor<5x4xbf16>
  return %1 : tensor<5x4xbf16>
}

// -----

// A contradiction that only shows once the shape is known.
func.func @contradiction(%x: tensor<4x8xf32>, %y: tensor<3x16xf32>) -> tensor<3x16xf32> {
  %0 = graph.reshape %x : tensor<4x8xf32> to tensor<?x16xf32>
  // expected-error @below {{expects shapes that broadcast, got [2, 16] and [3, 16]}}
  %1 = graph.add %0, %y : (tensor<?x16xf32>, tensor<3x16xf32>) -> tensor<3x16xf32>
  return %1 : tensor<3x16xf32>
}

// -----

// CHECK-LABEL: func.func @convolution
// CHECK-SAME: -> tensor<2x4x5x6xf32>
func.func @convolution(%x: tensor<18x27xf32>, %w: tensor<6x3x3x2xf32>) -> tensor<?x4x5x6xf32> {
  // CHECK: graph.conv2d {{.*}} -> tensor<2x4x5x6xf32>
  %0 = graph.reshape %x : tensor<18x27xf32> to tensor<?x9x9x3xf32>
  %1 = graph.conv2d %0, %w {layout = "nhwc", strides = array<i64: 2, 2>, pads = array<i64: 0, 1, 1, 0>} : (tensor<?x9x9x3xf32>, tensor<6x3x3x2xf32>) -> tensor<?x4x5x6xf32>
  return %1 : tensor<?x4x5x6xf32>
}

// -----

// CHECK-LABEL: func.func @reductions
// CHECK-SAME: -> tensor<2x1x3xf32>
func.func @reductions(%x: tensor<4x9xf32>) -> tensor<?x1x3xf32> {
  // CHECK: graph.softmax %{{.*}} axis = 2 : tensor<2x6x3xf32>
  // CHECK: graph.reduce max, {{.*}} -> tensor<2x1x3xf32>
  %0 = graph.reshape %x : tensor<4x9xf32> to tensor<?x6x3xf32>
  %1 = graph.softmax %0 axis = 2 : tensor<?x6x3xf32>
  %2 = graph.reduce max, %1 [1] {keep_dims} : tensor<?x6x3xf32> -> tensor<?x1x3xf32>
  return %2 : tensor<?x1x3xf32>
}
