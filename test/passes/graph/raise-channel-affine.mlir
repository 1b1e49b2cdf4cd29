// RUN: minic-opt %s --graph-raise | FileCheck %s

// A batch norm with known statistics.
// CHECK-LABEL: func @batch_norm
func.func @batch_norm(%x: tensor<1x8x4x4xf32>) -> tensor<1x16x4x4xf32> {
  // CHECK-DAG: %[[W:[0-9]+]] = graph.constant dense<2
  // CHECK-DAG: %[[B:[0-9]+]] = graph.constant dense<3
  // CHECK-DAG: %[[SCALE:[0-9]+]] = graph.constant dense<4
  // CHECK-DAG: %[[SHIFT:[0-9]+]] = graph.constant dense<5
  // CHECK-DAG: %[[LINE:[0-9]+]] = graph.reshape %[[SCALE]] : tensor<1x16x1x1xf32> to tensor<16xf32>
  // CHECK-DAG: %[[COLUMN:[0-9]+]] = graph.reshape %[[SCALE]] : tensor<1x16x1x1xf32> to tensor<16x1x1x1xf32>
  // CHECK-DAG: %[[FILTER:[0-9]+]] = graph.mul %[[COLUMN]], %[[W]]
  // CHECK-DAG: %[[SCALED:[0-9]+]] = graph.mul %[[LINE]], %[[B]]
  // CHECK-DAG: %[[ADDED:[0-9]+]] = graph.reshape %[[SHIFT]] : tensor<16x1x1xf32> to tensor<16xf32>
  // CHECK-DAG: %[[BIAS:[0-9]+]] = graph.add %[[SCALED]], %[[ADDED]]
  // CHECK: %[[RESULT:.+]] = graph.conv2d %arg0, %[[FILTER]], %[[BIAS]]
  // CHECK-NEXT: return %[[RESULT]]
  %w = graph.constant dense<2.0> : tensor<16x8x1x1xf32>
  %b = graph.constant dense<3.0> : tensor<16xf32>
  %scale = graph.constant dense<4.0> : tensor<1x16x1x1xf32>
  %shift = graph.constant dense<5.0> : tensor<16x1x1xf32>
  %0 = graph.conv2d %x, %w, %b : (tensor<1x8x4x4xf32>, tensor<16x8x1x1xf32>, tensor<16xf32>) -> tensor<1x16x4x4xf32>
  %1 = graph.mul %0, %scale : (tensor<1x16x4x4xf32>, tensor<1x16x1x1xf32>) -> tensor<1x16x4x4xf32>
  %2 = graph.add %shift, %1 : (tensor<16x1x1xf32>, tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  return %2 : tensor<1x16x4x4xf32>
}

// Channels last, of a convolution and of a linear. One number for all of them
// stays: patterns of attention look for such a scale.
// CHECK-LABEL: func @last
func.func @last(%x: tensor<1x4x4x8xf32>) -> tensor<1x4x4x16xf32> {
  // CHECK: graph.conv2d
  // CHECK-NOT: graph.mul %{{.+}} : (tensor<1x4x4x16xf32>
  // CHECK: %[[LINEAR:.+]] = graph.linear {{.+}} : (tensor<1x4x4x16xf32>, tensor<16x16xf32>, tensor<16xf32>)
  // CHECK-NEXT: %[[RESULT:.+]] = graph.mul %{{.*}}[[LINEAR]]
  // CHECK-NEXT: return %[[RESULT]]
  %w = graph.constant dense<2.0> : tensor<16x8x1x1xf32>
  %v = graph.constant dense<6.0> : tensor<16x16xf32>
  %scale = graph.constant dense<4.0> : tensor<16xf32>
  %half = graph.constant dense<0.5> : tensor<f32>
  %0 = graph.conv2d %x, %w {layout = "nhwc"} : (tensor<1x4x4x8xf32>, tensor<16x8x1x1xf32>) -> tensor<1x4x4x16xf32>
  %1 = graph.mul %0, %scale : (tensor<1x4x4x16xf32>, tensor<16xf32>) -> tensor<1x4x4x16xf32>
  %2 = graph.linear %1, %v : (tensor<1x4x4x16xf32>, tensor<16x16xf32>) -> tensor<1x4x4x16xf32>
  %3 = graph.add %scale, %2 : (tensor<16xf32>, tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32>
  %4 = graph.mul %3, %half : (tensor<1x4x4x16xf32>, tensor<f32>) -> tensor<1x4x4x16xf32>
  return %4 : tensor<1x4x4x16xf32>
}

// A filter of 16 bits would be rounded once more.
// CHECK-LABEL: func @narrow
func.func @narrow(%x: tensor<1x8x4x4xbf16>) -> tensor<1x16x4x4xbf16> {
  // CHECK: graph.conv2d
  // CHECK: graph.mul
  %w = graph.constant dense<2.0> : tensor<16x8x1x1xbf16>
  %scale = graph.constant dense<4.0> : tensor<1x16x1x1xbf16>
  %0 = graph.conv2d %x, %w : (tensor<1x8x4x4xbf16>, tensor<16x8x1x1xbf16>) -> tensor<1x16x4x4xbf16>
  %1 = graph.mul %0, %scale : (tensor<1x16x4x4xbf16>, tensor<1x16x1x1xbf16>) -> tensor<1x16x4x4xbf16>
  return %1 : tensor<1x16x4x4xbf16>
}

// Somebody reads the product itself.
// CHECK-LABEL: func @shared
func.func @shared(%x: tensor<4x8xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  // CHECK: graph.linear
  // CHECK: graph.mul
  %w = graph.constant dense<2.0> : tensor<16x8xf32>
  %scale = graph.constant dense<4.0> : tensor<16xf32>
  %0 = graph.linear %x, %w : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  %1 = graph.mul %0, %scale : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  return %0, %1 : tensor<4x16xf32>, tensor<4x16xf32>
}

// One number a column, not a channel.
// CHECK-LABEL: func @columns
func.func @columns(%x: tensor<1x8x4x4xf32>) -> tensor<1x16x4x4xf32> {
  // CHECK: graph.conv2d
  // CHECK: graph.mul
  %w = graph.constant dense<2.0> : tensor<16x8x1x1xf32>
  %scale = graph.constant dense<4.0> : tensor<4xf32>
  %0 = graph.conv2d %x, %w : (tensor<1x8x4x4xf32>, tensor<16x8x1x1xf32>) -> tensor<1x16x4x4xf32>
  %1 = graph.mul %0, %scale : (tensor<1x16x4x4xf32>, tensor<4xf32>) -> tensor<1x16x4x4xf32>
  return %1 : tensor<1x16x4x4xf32>
}
