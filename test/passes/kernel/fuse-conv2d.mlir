// RUN: minic-opt %s --split-input-file --kernel-fuse | FileCheck %s

// A convolution is an anchor: it takes its bias as a broadcast, a residual and
// an activation, not what feeds it, and shares a fusion with no other.
// CHECK-LABEL: func.func @convolutions
func.func @convolutions(%x: tensor<1x4x5x5xf32>, %w: tensor<4x4x3x3xf32>, %b: tensor<4x1x1xf32>) -> tensor<1x4x5x5xf32> {
  // CHECK: kernel.fusion
  // CHECK-NEXT: graph.exp
  // CHECK-NEXT: kernel.yield
  // CHECK: kernel.fusion
  // CHECK-NEXT: graph.conv2d
  // CHECK-NEXT: graph.relu
  // CHECK-NEXT: kernel.yield
  // CHECK: kernel.fusion (%[[IN:.+]] = %{{.+}}, %[[FILTER:.+]] = %{{.+}}, %[[BIAS:.+]] = %{{.+}}, %[[RES:.+]] = %{{.+}} :
  // CHECK-NEXT: graph.conv2d %[[IN]], %[[FILTER]]
  // CHECK-NEXT: graph.add %{{.+}}, %[[BIAS]]
  // CHECK-NEXT: graph.add %{{.+}}, %[[RES]]
  // CHECK-NEXT: graph.relu
  // CHECK-NEXT: kernel.yield
  %0 = graph.exp %x : tensor<1x4x5x5xf32>
  %1 = graph.conv2d %0, %w {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x4x5x5xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x5x5xf32>
  %2 = graph.relu %1 : tensor<1x4x5x5xf32>
  %3 = graph.conv2d %2, %w {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x4x5x5xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x5x5xf32>
  %4 = graph.add %3, %b : (tensor<1x4x5x5xf32>, tensor<4x1x1xf32>) -> tensor<1x4x5x5xf32>
  %5 = graph.add %4, %x : (tensor<1x4x5x5xf32>, tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
  %6 = graph.relu %5 : tensor<1x4x5x5xf32>
  return %6 : tensor<1x4x5x5xf32>
}
