// RUN: minic-opt %s --split-input-file --graph-raise | FileCheck %s

// ONNX's Clip with one bound of 0, and with two bounds.
// CHECK-LABEL: func.func @bounds
// CHECK-SAME: %[[X:.+]]: tensor
// CHECK-DAG:  %[[A:.+]] = graph.relu %[[X]]
// CHECK-DAG:  %[[B:.+]] = graph.clamp %[[X]] {lower = 0.000000e+00 : f64, upper = 6.000000e+00 : f64}
// CHECK-DAG:  %[[C:.+]] = graph.clamp %[[X]] {lower = -1.000000e+00 : f64, upper = 2.000000e+00 : f64}
// CHECK-NEXT: return %[[A]], %[[B]], %[[C]]
func.func @bounds(%x: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>) {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %six = graph.constant dense<6.0> : tensor<f32>
  %two = graph.constant dense<2.0> : tensor<1x1xf32>
  %below = graph.constant dense<-1.0> : tensor<f32>
  %0 = graph.max %x, %zero : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %1 = graph.min %0, %six : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %2 = graph.min %two, %x : (tensor<1x1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %3 = graph.max %2, %below : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %0, %1, %3 : tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>
}

// -----

// Bounds per column, bounds that exclude each other, integers.
// CHECK-LABEL: func.func @other_bounds
// CHECK-NOT: graph.relu
// CHECK-NOT: graph.clamp
func.func @other_bounds(%x: tensor<3x5xf32>, %i: tensor<3x5xi64>) -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xi64>) {
  %columns = graph.constant dense<[0.0, 0.0, 0.0, 0.0, 1.0]> : tensor<5xf32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %two = graph.constant dense<2.0> : tensor<f32>
  %zero = graph.constant dense<0> : tensor<i64>
  %0 = graph.max %x, %columns : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  %1 = graph.max %x, %two : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %2 = graph.min %1, %one : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %3 = graph.max %i, %zero : (tensor<3x5xi64>, tensor<i64>) -> tensor<3x5xi64>
  return %0, %2, %3 : tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xi64>
}

// -----

// The factors of hard swish in three orders.
// CHECK-LABEL: func.func @hard_swish
// CHECK-SAME: %[[X:.+]]: tensor
// CHECK-NEXT: %[[A:.+]] = graph.hard_swish %[[X]]
// CHECK-NEXT: %[[B:.+]] = graph.hard_swish %[[X]]
// CHECK-NEXT: %[[C:.+]] = graph.hard_swish %[[X]]
// CHECK-NEXT: return %[[A]], %[[B]], %[[C]]
func.func @hard_swish(%x: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>) {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %three = graph.constant dense<3.0> : tensor<f32>
  %six = graph.constant dense<6.0> : tensor<f32>
  %sixth = graph.constant dense<0.16666667> : tensor<f32>
  %0 = graph.add %x, %three : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %1 = graph.max %0, %zero : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %2 = graph.min %1, %six : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %3 = graph.mul %x, %2 : tensor<3x5xf32>
  %4 = graph.div %3, %six : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %5 = graph.mul %2, %sixth : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %6 = graph.mul %5, %x : tensor<3x5xf32>
  %7 = graph.hard_sigmoid %x {alpha = 0.16666667163372 : f64} : tensor<3x5xf32>
  %8 = graph.mul %x, %7 : tensor<3x5xf32>
  return %4, %6, %8 : tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>
}

// -----

// CHECK-LABEL: func.func @hard_sigmoid
// CHECK-SAME: %[[X:.+]]: tensor
// CHECK-NEXT: %[[A:.+]] = graph.hard_sigmoid %[[X]] : tensor
// CHECK-NEXT: %[[B:.+]] = graph.hard_sigmoid %[[X]] {alpha = 5.000000e-01 : f64, beta = 2.500000e-01 : f64}
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @hard_sigmoid(%x: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  %one = graph.constant dense<1.0> : tensor<f32>
  %two = graph.constant dense<2.0> : tensor<f32>
  %three = graph.constant dense<3.0> : tensor<f32>
  %half = graph.constant dense<0.5> : tensor<f32>
  %quarter = graph.constant dense<0.25> : tensor<f32>
  %six = graph.constant dense<6.0> : tensor<f32>
  %0 = graph.add %x, %three : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %1 = graph.clamp %0 {lower = 0.0 : f64, upper = 6.0 : f64} : tensor<3x5xf32>
  %2 = graph.div %1, %six : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %3 = graph.mul %x, %two : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %4 = graph.add %3, %one : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %5 = graph.clamp %4 {lower = 0.0 : f64, upper = 4.0 : f64} : tensor<3x5xf32>
  %6 = graph.mul %5, %quarter : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %2, %6 : tensor<3x5xf32>, tensor<3x5xf32>
}

// -----

// Another addend, another divisor, a gate of another value.
// CHECK-LABEL: func.func @no_hard_swish
// CHECK-NOT: graph.hard_swish
func.func @no_hard_swish(%x: tensor<3x5xf32>, %y: tensor<3x5xf32>)
    -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>) {
  %two = graph.constant dense<2.0> : tensor<f32>
  %three = graph.constant dense<3.0> : tensor<f32>
  %five = graph.constant dense<5.0> : tensor<f32>
  %six = graph.constant dense<6.0> : tensor<f32>
  %0 = graph.add %x, %two : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %1 = graph.clamp %0 {lower = 0.0 : f64, upper = 6.0 : f64} : tensor<3x5xf32>
  %2 = graph.mul %x, %1 : tensor<3x5xf32>
  %3 = graph.div %2, %six : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %4 = graph.add %x, %three : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %5 = graph.clamp %4 {lower = 0.0 : f64, upper = 6.0 : f64} : tensor<3x5xf32>
  %6 = graph.mul %x, %5 : tensor<3x5xf32>
  %7 = graph.div %6, %five : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %8 = graph.mul %y, %5 : tensor<3x5xf32>
  %9 = graph.div %8, %six : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %3, %7, %9 : tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>
}
