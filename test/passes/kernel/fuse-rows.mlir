// A sum that a norm and later ops read is a result of the norm's fusion. What
// makes an operand of another shape stays outside.
//
// RUN: minic-opt %s --kernel-fuse | FileCheck %s

// CHECK-LABEL: func.func @kept_sum
// CHECK: %[[F:.*]]:2 = kernel.fusion
// CHECK-NEXT: %[[S:.*]] = graph.add
// CHECK-NEXT: %[[N:.*]] = graph.layer_norm %[[S]]
// CHECK-NEXT: %[[C:.*]] = graph.cast %[[N]]
// CHECK-NEXT: kernel.yield %[[S]], %[[C]]
// CHECK: kernel.fusion
// CHECK-NEXT: graph.linear
// CHECK-NEXT: graph.add
func.func @kept_sum(%x: tensor<4x8xf32>, %r: tensor<4x8xf32>, %g: tensor<8xf32>, %w: tensor<8x8xbf16>, %w2: tensor<8x8xf32>) -> (tensor<4x8xbf16>, tensor<4x8xf32>) {
  %0 = graph.add %x, %r : tensor<4x8xf32>
  %1 = graph.layer_norm %0 scale %g axis = 1 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %2 = graph.cast %1 : tensor<4x8xf32> to tensor<4x8xbf16>
  %3 = graph.linear %x, %w2 : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %4 = graph.add %3, %0 : tensor<4x8xf32>
  return %2, %4 : tensor<4x8xbf16>, tensor<4x8xf32>
}

// The norm cannot take a sum that also leads to it through another op.
// CHECK-LABEL: func.func @not_convex
// CHECK: kernel.fusion
// CHECK-NEXT: graph.exp
// CHECK-NEXT: kernel.yield
// CHECK: kernel.fusion
// CHECK-NEXT: graph.linear
// CHECK: kernel.fusion
// CHECK-NEXT: graph.reduce
// CHECK: kernel.fusion
// CHECK-NEXT: graph.layer_norm
func.func @not_convex(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %v: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.exp %x : tensor<4x8xf32>
  %1 = graph.linear %0, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %2 = graph.reduce sum, %1 [0] : tensor<4x8xf32> -> tensor<8xf32>
  %3 = graph.layer_norm %0 scale %2 axis = 1 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// A group norm reads and writes images of NHWC as strides, and takes what follows
// in that order. A transpose that others read too stays outside.
// CHECK-LABEL: func.func @channels_last
// CHECK: %[[BACK:.*]] = kernel.fusion
// CHECK-NEXT: graph.transpose %{{.*}} [0, 3, 1, 2] : tensor<1x2x5x4xf32>
// CHECK-NEXT: graph.group_norm
// CHECK-NEXT: graph.transpose %{{.*}} [0, 2, 3, 1]
// CHECK-NEXT: graph.silu
// CHECK-NEXT: kernel.yield
// CHECK: kernel.fusion
// CHECK-NEXT: graph.transpose
// CHECK-NEXT: kernel.yield
// CHECK: kernel.fusion
// CHECK-NEXT: graph.group_norm
// CHECK-NEXT: graph.relu
// CHECK-NEXT: kernel.yield
func.func @channels_last(%x: tensor<1x2x5x4xf32>) -> (tensor<1x2x5x4xf32>, tensor<1x4x2x5xf32>, tensor<1x4x2x5xf32>) {
  %0 = graph.transpose %x [0, 3, 1, 2] : tensor<1x2x5x4xf32> -> tensor<1x4x2x5xf32>
  %1 = graph.group_norm %0 groups = 2 : (tensor<1x4x2x5xf32>) -> tensor<1x4x2x5xf32>
  %2 = graph.transpose %1 [0, 2, 3, 1] : tensor<1x4x2x5xf32> -> tensor<1x2x5x4xf32>
  %3 = graph.silu %2 : tensor<1x2x5x4xf32>
  %4 = graph.transpose %3 [0, 3, 1, 2] : tensor<1x2x5x4xf32> -> tensor<1x4x2x5xf32>
  %5 = graph.group_norm %4 groups = 4 : (tensor<1x4x2x5xf32>) -> tensor<1x4x2x5xf32>
  %6 = graph.relu %5 : tensor<1x4x2x5xf32>
  return %3, %4, %6 : tensor<1x2x5x4xf32>, tensor<1x4x2x5xf32>, tensor<1x4x2x5xf32>
}
