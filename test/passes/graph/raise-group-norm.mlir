// RUN: minic-opt %s --split-input-file --graph-raise | FileCheck %s

// Up to opset 20: groups as channels of an instance norm, scaled afterwards.
// CHECK-LABEL: func.func @instance_norm
// CHECK-SAME: %[[X:.+]]: tensor<2x6x5x5xf32>
// CHECK-DAG:  %[[W:.+]] = graph.reshape %{{.+}} : tensor<6x1x1xf32> to tensor<6xf32>
// CHECK-DAG:  %[[B:.+]] = graph.reshape %{{.+}} : tensor<1x6x1x1xf32> to tensor<6xf32>
// CHECK:      %[[Y:.+]] = graph.group_norm %[[X]] scale %[[W]] bias %[[B]] groups = 3 {epsilon = 2.500000e-01 : f64}
// CHECK-NEXT: return %[[Y]]
func.func @instance_norm(%x: tensor<2x6x5x5xf32>) -> tensor<2x6x5x5xf32> {
  %ones = graph.constant dense<1.0> : tensor<3xf32>
  %zeros = graph.constant dense<0.0> : tensor<3xf32>
  %w = graph.constant dense<[[[1.0]], [[2.0]], [[3.0]], [[4.0]], [[5.0]], [[6.0]]]> : tensor<6x1x1xf32>
  %b = graph.constant dense<[[[[1.0]], [[2.0]], [[3.0]], [[4.0]], [[5.0]], [[7.0]]]]> : tensor<1x6x1x1xf32>
  %0 = graph.reshape %x : tensor<2x6x5x5xf32> to tensor<2x3x50xf32>
  %1 = graph.group_norm %0 scale %ones bias %zeros groups = 3 {epsilon = 0.25 : f64} : (tensor<2x3x50xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x50xf32>
  %2 = graph.reshape %1 : tensor<2x3x50xf32> to tensor<2x6x5x5xf32>
  %3 = graph.mul %2, %w : (tensor<2x6x5x5xf32>, tensor<6x1x1xf32>) -> tensor<2x6x5x5xf32>
  %4 = graph.add %3, %b : (tensor<2x6x5x5xf32>, tensor<1x6x1x1xf32>) -> tensor<2x6x5x5xf32>
  return %4 : tensor<2x6x5x5xf32>
}

// -----

// Ones and zeros that are initializers of the model.
// CHECK-LABEL: func.func @initializers
// CHECK:      graph.group_norm %{{.+}} groups = 2 : (tensor<2x6x5xf32>)
func.func @initializers(%x: tensor<2x6x5xf32>) -> tensor<2x6x5xf32> {
  %ones = graph.constant @ones = dense_resource<ones> : tensor<2xf32>
  %zeros = graph.constant @zeros = dense_resource<zeros> : tensor<2xf32>
  %0 = graph.reshape %x : tensor<2x6x5xf32> to tensor<2x2x15xf32>
  %1 = graph.group_norm %0 scale %ones bias %zeros groups = 2 : (tensor<2x2x15xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x2x15xf32>
  %2 = graph.reshape %1 : tensor<2x2x15xf32> to tensor<2x6x5xf32>
  return %2 : tensor<2x6x5xf32>
}

{-#
  dialect_resources: {
    builtin: {
      ones: "0x040000000000803F0000803F",
      zeros: "0x040000000000000000000000"
    }
  }
#-}

// -----

// Written out: a layer norm of each group.
// CHECK-LABEL: func.func @written_out
// CHECK-SAME: %[[X:.+]]: tensor<2x6x5xf32>
// CHECK:      %[[Y:.+]] = graph.group_norm %[[X]] groups = 3
// CHECK-NEXT: return %[[Y]]
func.func @written_out(%x: tensor<2x6x5xf32>) -> tensor<2x6x5xf32> {
  %epsilon = graph.constant dense<1.0e-5> : tensor<f32>
  %0 = graph.reshape %x : tensor<2x6x5xf32> to tensor<2x3x10xf32>
  %1 = graph.reduce mean, %0 [2] {keep_dims} : tensor<2x3x10xf32> -> tensor<2x3x1xf32>
  %2 = graph.sub %0, %1 : (tensor<2x3x10xf32>, tensor<2x3x1xf32>) -> tensor<2x3x10xf32>
  %3 = graph.mul %2, %2 : tensor<2x3x10xf32>
  %4 = graph.reduce mean, %3 [2] {keep_dims} : tensor<2x3x10xf32> -> tensor<2x3x1xf32>
  %5 = graph.add %4, %epsilon : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %6 = graph.rsqrt %5 : tensor<2x3x1xf32>
  %7 = graph.mul %2, %6 : (tensor<2x3x10xf32>, tensor<2x3x1xf32>) -> tensor<2x3x10xf32>
  %8 = graph.reshape %7 : tensor<2x3x10xf32> to tensor<2x6x5xf32>
  return %8 : tensor<2x6x5xf32>
}

// -----

// Groups that are scaled, groups that are no channels, and a matrix: its rows
// of heads are normalised, not its channels.
// CHECK-LABEL: func.func @others
// CHECK:     graph.group_norm {{.*}} -> tensor<2x3x10xf32>
// CHECK-NOT: graph.group_norm
func.func @others(%x: tensor<2x6x5xf32>, %w: tensor<3xf32>, %m: tensor<2x12xf32>)
    -> (tensor<2x6x5xf32>, tensor<2x6x5xf32>, tensor<2x12xf32>) {
  %0 = graph.reshape %x : tensor<2x6x5xf32> to tensor<2x3x10xf32>
  %1 = graph.group_norm %0 scale %w groups = 3 : (tensor<2x3x10xf32>, tensor<3xf32>) -> tensor<2x3x10xf32>
  %2 = graph.reshape %1 : tensor<2x3x10xf32> to tensor<2x6x5xf32>
  %3 = graph.reshape %x : tensor<2x6x5xf32> to tensor<2x5x6xf32>
  %4 = graph.layer_norm %3 axis = 2 : (tensor<2x5x6xf32>) -> tensor<2x5x6xf32>
  %5 = graph.reshape %4 : tensor<2x5x6xf32> to tensor<2x6x5xf32>
  %6 = graph.reshape %m : tensor<2x12xf32> to tensor<2x3x4xf32>
  %7 = graph.layer_norm %6 axis = 2 : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %8 = graph.reshape %7 : tensor<2x3x4xf32> to tensor<2x12xf32>
  return %2, %5, %8 : tensor<2x6x5xf32>, tensor<2x6x5xf32>, tensor<2x12xf32>
}

// -----

// A scale of the last dimension is none of the channels.
// CHECK-LABEL: func.func @scale_of_columns
// CHECK:      graph.group_norm %{{.+}} groups = 3
// CHECK-NEXT: graph.mul
func.func @scale_of_columns(%x: tensor<2x6x6xf32>) -> tensor<2x6x6xf32> {
  %w = graph.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>
  %0 = graph.group_norm %x groups = 3 : (tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
  %1 = graph.mul %0, %w : (tensor<2x6x6xf32>, tensor<6xf32>) -> tensor<2x6x6xf32>
  return %1 : tensor<2x6x6xf32>
}
