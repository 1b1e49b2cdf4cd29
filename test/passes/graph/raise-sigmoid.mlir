// RUN: minic-opt %s --split-input-file --graph-raise | FileCheck %s

// CHECK-LABEL: func.func @silu
// CHECK-SAME: %[[X:.+]]: tensor
// CHECK-NEXT: %[[Y:.+]] = graph.silu %[[X]]
// CHECK-NEXT: return %[[Y]]
func.func @silu(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = graph.sigmoid %x : tensor<3x5xf32>
  %1 = graph.mul %0, %x : tensor<3x5xf32>
  return %1 : tensor<3x5xf32>
}

// -----

// The exponential written out, under 1 and under x.
// CHECK-LABEL: func.func @exponentials
// CHECK-SAME: %[[X:.+]]: tensor
// CHECK-DAG:  %[[Y:.+]] = graph.sigmoid %[[X]]
// CHECK-DAG:  %[[Z:.+]] = graph.silu %[[X]]
// CHECK-NEXT: return %[[Y]], %[[Z]]
func.func @exponentials(%x: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  %one = graph.constant dense<1.0> : tensor<f32>
  %0 = graph.neg %x : tensor<3x5xf32>
  %1 = graph.exp %0 : tensor<3x5xf32>
  %2 = graph.add %one, %1 : (tensor<f32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %3 = graph.div %one, %2 : (tensor<f32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %4 = graph.div %x, %2 : tensor<3x5xf32>
  return %3, %4 : tensor<3x5xf32>, tensor<3x5xf32>
}

// -----

// Quick gelu has one form: a product with a sigmoid of a product.
// CHECK-LABEL: func.func @quick_gelu
// CHECK-SAME: %[[X:.+]]: tensor
// CHECK-NEXT: %[[C:.+]] = graph.constant dense<1.702000e+00> : tensor<f32>
// CHECK-NEXT: %[[S:.+]] = graph.mul %[[X]], %[[C]]
// CHECK-NEXT: %[[G:.+]] = graph.sigmoid %[[S]]
// CHECK-NEXT: %[[Y:.+]] = graph.mul %[[X]], %[[G]]
// CHECK-NEXT: return %[[Y]]
func.func @quick_gelu(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %scale = graph.constant dense<-1.702> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %0 = graph.mul %x, %scale : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %1 = graph.exp %0 : tensor<3x5xf32>
  %2 = graph.add %1, %one : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %3 = graph.div %x, %2 : tensor<3x5xf32>
  return %3 : tensor<3x5xf32>
}

// -----

// CHECK-LABEL: func.func @mish
// CHECK-SAME: %[[X:.+]]: tensor
// CHECK-NEXT: %[[Y:.+]] = graph.mish %[[X]]
// CHECK-NEXT: return %[[Y]]
func.func @mish(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %one = graph.constant dense<1.0> : tensor<f32>
  %0 = graph.exp %x : tensor<3x5xf32>
  %1 = graph.add %0, %one : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %2 = graph.log %1 : tensor<3x5xf32>
  %3 = graph.tanh %2 : tensor<3x5xf32>
  %4 = graph.mul %x, %3 : tensor<3x5xf32>
  return %4 : tensor<3x5xf32>
}

// -----

// PyTorch's softplus has a threshold, from which on it is x in f32 either way.
// CHECK-LABEL: func.func @threshold
// CHECK-SAME: %[[X:.+]]: tensor
// CHECK-NEXT: %[[Y:.+]] = graph.softplus %[[X]]
// CHECK-NEXT: return %[[Y]]
func.func @threshold(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %twenty = graph.constant dense<20.0> : tensor<f32>
  %0 = graph.softplus %x : tensor<3x5xf32>
  %1 = graph.compare gt, %x, %twenty : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xi1>
  %2 = graph.select %1, %x, %0 : (tensor<3x5xi1>, tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %2 : tensor<3x5xf32>
}

// -----

// From 2 on it is not.
// CHECK-LABEL: func.func @low_threshold
// CHECK: graph.select
func.func @low_threshold(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %two = graph.constant dense<2.0> : tensor<f32>
  %0 = graph.softplus %x : tensor<3x5xf32>
  %1 = graph.compare gt, %x, %two : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xi1>
  %2 = graph.select %1, %x, %0 : (tensor<3x5xi1>, tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %2 : tensor<3x5xf32>
}

// -----

// Gates of other values, and 2 + exp(x).
// CHECK-LABEL: func.func @others
// CHECK-NOT: graph.silu
// CHECK-NOT: graph.mish
// CHECK-NOT: graph.softplus %{{.+}} : tensor<3x7
// CHECK-NOT: graph.sigmoid %{{.+}} : tensor<3x7
func.func @others(%x: tensor<3x5xf32>, %y: tensor<3x5xf32>, %z: tensor<3x7xf32>)
    -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x7xf32>, tensor<3x7xf32>) {
  %one = graph.constant dense<1.0> : tensor<f32>
  %two = graph.constant dense<2.0> : tensor<f32>
  %0 = graph.sigmoid %y : tensor<3x5xf32>
  %1 = graph.mul %0, %x : tensor<3x5xf32>
  %2 = graph.softplus %y : tensor<3x5xf32>
  %3 = graph.tanh %2 : tensor<3x5xf32>
  %4 = graph.mul %x, %3 : tensor<3x5xf32>
  %5 = graph.exp %z : tensor<3x7xf32>
  %6 = graph.add %5, %two : (tensor<3x7xf32>, tensor<f32>) -> tensor<3x7xf32>
  %7 = graph.log %6 : tensor<3x7xf32>
  %8 = graph.div %one, %6 : (tensor<f32>, tensor<3x7xf32>) -> tensor<3x7xf32>
  return %1, %4, %7, %8 : tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x7xf32>, tensor<3x7xf32>
}

// -----

// A gate of a constant: both are put second elsewhere, the constant wins.
// CHECK-LABEL: func.func @constant_factor
// CHECK: %[[GATE:.+]] = graph.sigmoid
// CHECK: graph.mul %[[GATE]], %{{.+}} : (tensor<1xf32>
func.func @constant_factor(%x: tensor<1xf32>) -> tensor<2x2xf32> {
  %factors = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = graph.sigmoid %x : tensor<1xf32>
  %1 = graph.mul %factors, %0 : (tensor<2x2xf32>, tensor<1xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}
