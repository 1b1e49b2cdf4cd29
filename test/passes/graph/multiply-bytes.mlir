// RUN: minic-opt %s --graph-multiply-bytes | FileCheck %s

// CHECK-LABEL: func @columns
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xi8>, %[[W:.*]]: tensor<2x8xi8>, %[[B:.*]]: tensor<2xf32>)
func.func @columns(%x: tensor<4x8xi8>, %w: tensor<2x8xi8>, %b: tensor<2xf32>) -> tensor<4x2xf32> {
  // CHECK: %[[SUMS:.*]] = graph.linear %[[X]], %[[W]] : (tensor<4x8xi8>, tensor<2x8xi8>) -> tensor<4x2xi32>
  // CHECK: %[[REAL:.*]] = graph.cast %[[SUMS]] : tensor<4x2xi32> to tensor<4x2xf32>
  // CHECK: %[[SCALES:.*]] = graph.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  // CHECK: %[[SCALED:.*]] = graph.mul %[[REAL]], %[[SCALES]]
  // CHECK: graph.add %[[SCALED]], %[[B]]
  %s = graph.constant dense<0.5> : tensor<f32>
  %t = graph.constant dense<[[2.0], [4.0]]> : tensor<2x1xf32>
  %0 = graph.cast %x : tensor<4x8xi8> to tensor<4x8xf32>
  %1 = graph.mul %0, %s : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %2 = graph.cast %w : tensor<2x8xi8> to tensor<2x8xf32>
  %3 = graph.mul %2, %t : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  %4 = graph.linear %1, %3, %b : (tensor<4x8xf32>, tensor<2x8xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  return %4 : tensor<4x2xf32>
}

// Bytes from 0 on become those from -128 on; the zero point, 130 - 128, takes
// twice the sums of the weights away: 3 and -2.
// CHECK-LABEL: func @unsigned
// CHECK-SAME: (%[[X:.*]]: tensor<4x2xui8>)
func.func @unsigned(%x: tensor<4x2xui8>) -> tensor<4x2xf32> {
  // CHECK: %[[BITS:.*]] = graph.cast %[[X]] : tensor<4x2xui8> to tensor<4x2xi8>
  // CHECK: %[[FLIP:.*]] = graph.constant dense<-128> : tensor<i8>
  // CHECK: %[[SIGNED:.*]] = graph.add %[[BITS]], %[[FLIP]]
  // CHECK: %[[SUMS:.*]] = graph.matmul %[[SIGNED]], %{{.*}} : (tensor<4x2xi8>, tensor<2x2xi8>) -> tensor<4x2xi32>
  // CHECK: %[[AWAY:.*]] = graph.constant dense<[-6, 4]> : tensor<2xi32>
  // CHECK: graph.add %[[SUMS]], %[[AWAY]]
  %w = graph.constant dense<[[1, -3], [2, 1]]> : tensor<2x2xi8>
  %s = graph.constant dense<0.5> : tensor<f32>
  %zero = graph.constant dense<130.0> : tensor<f32>
  %0 = graph.cast %x : tensor<4x2xui8> to tensor<4x2xf32>
  %1 = graph.sub %0, %zero : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %2 = graph.mul %1, %s : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %3 = graph.cast %w : tensor<2x2xi8> to tensor<2x2xf32>
  %4 = graph.mul %3, %s : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  %5 = graph.matmul %2, %4 : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  return %5 : tensor<4x2xf32>
}

// The greatest sums would not fit 32 bits.
// CHECK-LABEL: func @long
// CHECK-NOT: i32
func.func @long(%x: tensor<4x65794xi8>, %w: tensor<2x65794xi8>) -> tensor<4x2xf32> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %0 = graph.cast %x : tensor<4x65794xi8> to tensor<4x65794xf32>
  %1 = graph.mul %0, %s : (tensor<4x65794xf32>, tensor<f32>) -> tensor<4x65794xf32>
  %2 = graph.cast %w : tensor<2x65794xi8> to tensor<2x65794xf32>
  %3 = graph.mul %2, %s : (tensor<2x65794xf32>, tensor<f32>) -> tensor<2x65794xf32>
  %4 = graph.linear %1, %3 : (tensor<4x65794xf32>, tensor<2x65794xf32>) -> tensor<4x2xf32>
  return %4 : tensor<4x2xf32>
}

// A scale for each element of K, a zero point of rhs, one of lhs beside a rhs
// that is no constant, and numbers that are no bytes.
// CHECK-LABEL: func @others
// CHECK-NOT: i32
func.func @others(%x: tensor<4x2xi8>, %w: tensor<2x2xi8>, %y: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  %s = graph.constant dense<0.5> : tensor<f32>
  %k = graph.constant dense<[0.5, 0.25]> : tensor<2xf32>
  %zero = graph.constant dense<3.0> : tensor<f32>
  %0 = graph.cast %x : tensor<4x2xi8> to tensor<4x2xf32>
  %1 = graph.mul %0, %s : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %2 = graph.cast %w : tensor<2x2xi8> to tensor<2x2xf32>
  %3 = graph.mul %2, %k : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %4 = graph.linear %1, %3 : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  %5 = graph.sub %2, %zero : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  %6 = graph.mul %5, %s : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  %7 = graph.linear %1, %6 : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  %8 = graph.sub %0, %zero : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %9 = graph.mul %8, %s : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %10 = graph.mul %2, %s : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  %11 = graph.linear %9, %10 : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  %12 = graph.linear %y, %10 : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  return %4, %7, %11, %12 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
}
