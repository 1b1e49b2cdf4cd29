// RUN: minic-opt %s --split-input-file --graph-raise | FileCheck %s

// As PyTorch exports it for opsets that have no Gelu.
// CHECK-LABEL: func.func @scale_last
// CHECK-SAME: %[[X:.+]]: tensor
// CHECK-NEXT: %[[Y:.+]] = graph.gelu %[[X]] : tensor
// CHECK-NEXT: return %[[Y]]
func.func @scale_last(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %root = graph.constant dense<1.41421354> : tensor<f32>
  %u = graph.div %x, %root : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %e = graph.erf %u : tensor<3x5xf32>
  %s = graph.add %e, %one : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %p = graph.mul %x, %s : tensor<3x5xf32>
  %r = graph.mul %p, %half : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

// -----

// The scale at the input, at the sum, and inside of the sum; 1 / sqrt(2) as a
// factor.
// CHECK-LABEL: func.func @scale_first
// CHECK-SAME: %[[X:.+]]: tensor
// CHECK-NEXT: %[[Y:.+]] = graph.gelu %[[X]] : tensor
// CHECK-NEXT: return %[[Y]]
func.func @scale_first(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %root = graph.constant dense<1.41421354> : tensor<f32>
  %u = graph.div %x, %root : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %e = graph.erf %u : tensor<3x5xf32>
  %s = graph.add %e, %one : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %h = graph.mul %x, %half : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %r = graph.mul %h, %s : tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

// CHECK-LABEL: func.func @scale_sum
// CHECK-SAME: %[[X:.+]]: tensor
// CHECK-NEXT: %[[Y:.+]] = graph.gelu %[[X]] : tensor
// CHECK-NEXT: return %[[Y]]
func.func @scale_sum(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %root = graph.constant dense<1.41421354> : tensor<f32>
  %inverse = graph.constant dense<7.07106769E-01> : tensor<f32>
  %u = graph.mul %x, %inverse : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %e = graph.erf %u : tensor<3x5xf32>
  %s = graph.add %e, %one : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %h = graph.mul %s, %half : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %r = graph.mul %h, %x : tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

// -----

// CHECK-LABEL: func.func @distributed
// CHECK-SAME: %[[X:.+]]: tensor
// CHECK-NEXT: %[[Y:.+]] = graph.gelu %[[X]] : tensor
// CHECK-NEXT: return %[[Y]]
func.func @distributed(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %root = graph.constant dense<1.41421354> : tensor<f32>
  %u = graph.div %x, %root : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %e = graph.erf %u : tensor<3x5xf32>
  %h = graph.mul %x, %half : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %g = graph.mul %h, %e : tensor<3x5xf32>
  %r = graph.add %h, %g : tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

// -----

// GPT-2's: a power, and a sum that is scaled.
// CHECK-LABEL: func.func @tanh_power
// CHECK-SAME: %[[X:.+]]: tensor
// CHECK-NEXT: %[[Y:.+]] = graph.gelu %[[X]] {approximate = #graph.approximation<tanh>}
// CHECK-NEXT: return %[[Y]]
func.func @tanh_power(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %k = graph.constant dense<0.0447149985> : tensor<f32>
  %c = graph.constant dense<0.797884583> : tensor<f32>
  %three = graph.constant dense<3.0> : tensor<f32>
  %q = graph.pow %x, %three : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %m = graph.mul %q, %k : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %i = graph.add %x, %m : tensor<3x5xf32>
  %u = graph.mul %i, %c : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %t = graph.tanh %u : tensor<3x5xf32>
  %s = graph.add %t, %one : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %h = graph.mul %x, %half : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %r = graph.mul %h, %s : tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

// -----

// Products instead of a power, and x in front of the brackets.
// CHECK-LABEL: func.func @tanh_products
// CHECK-SAME: %[[X:.+]]: tensor
// CHECK-NEXT: %[[Y:.+]] = graph.gelu %[[X]] {approximate = #graph.approximation<tanh>}
// CHECK-NEXT: return %[[Y]]
func.func @tanh_products(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %k = graph.constant dense<0.0447149985> : tensor<f32>
  %c = graph.constant dense<0.797884583> : tensor<f32>
  %q = graph.mul %x, %x : tensor<3x5xf32>
  %m = graph.mul %q, %k : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %i = graph.add %m, %one : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %j = graph.mul %x, %c : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %u = graph.mul %i, %j : tensor<3x5xf32>
  %t = graph.tanh %u : tensor<3x5xf32>
  %s = graph.add %t, %one : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %h = graph.mul %x, %half : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %r = graph.mul %h, %s : tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

// -----

// The input is a sum and a product itself.
// CHECK-LABEL: func.func @of_a_sum
// CHECK: %[[V:.+]] = graph.add
// CHECK-NEXT: %[[X:.+]] = graph.mul %[[V]]
// CHECK-NEXT: graph.gelu %[[X]]
// CHECK-NEXT: return
func.func @of_a_sum(%a: tensor<3x5xf32>, %b: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %root = graph.constant dense<1.41421354> : tensor<f32>
  %two = graph.constant dense<2.0> : tensor<f32>
  %v = graph.add %a, %b : tensor<3x5xf32>
  %x = graph.mul %v, %two : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %u = graph.div %x, %root : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %e = graph.erf %u : tensor<3x5xf32>
  %s = graph.add %e, %one : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %p = graph.mul %x, %s : tensor<3x5xf32>
  %r = graph.mul %p, %half : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

// -----

// In bf16 constants are what is nearest.
// CHECK-LABEL: func.func @bf16
// CHECK-NEXT: graph.gelu
func.func @bf16(%x: tensor<3x5xbf16>) -> tensor<3x5xbf16> {
  %half = graph.constant dense<0.5> : tensor<bf16>
  %one = graph.constant dense<1.0> : tensor<bf16>
  %root = graph.constant dense<1.4140625> : tensor<bf16>
  %u = graph.div %x, %root : (tensor<3x5xbf16>, tensor<bf16>) -> tensor<3x5xbf16>
  %e = graph.erf %u : tensor<3x5xbf16>
  %s = graph.add %e, %one : (tensor<3x5xbf16>, tensor<bf16>) -> tensor<3x5xbf16>
  %p = graph.mul %x, %s : tensor<3x5xbf16>
  %r = graph.mul %p, %half : (tensor<3x5xbf16>, tensor<bf16>) -> tensor<3x5xbf16>
  return %r : tensor<3x5xbf16>
}

// -----

// The error function is a result as well, and stays.
// CHECK-LABEL: func.func @erf_used
// CHECK: %[[E:.+]] = graph.erf
// CHECK: %[[Y:.+]] = graph.gelu
// CHECK: return %[[Y]], %[[E]]
func.func @erf_used(%x: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  %half = graph.constant dense<0.5> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %root = graph.constant dense<1.41421354> : tensor<f32>
  %u = graph.div %x, %root : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %e = graph.erf %u : tensor<3x5xf32>
  %s = graph.add %e, %one : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %p = graph.mul %x, %s : tensor<3x5xf32>
  %r = graph.mul %p, %half : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %r, %e : tensor<3x5xf32>, tensor<3x5xf32>
}

// -----

// 0.6 is not 0.5.
// CHECK-LABEL: func.func @other_scale
// CHECK-NOT: graph.gelu
func.func @other_scale(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %half = graph.constant dense<0.6> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %root = graph.constant dense<1.41421354> : tensor<f32>
  %u = graph.div %x, %root : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %e = graph.erf %u : tensor<3x5xf32>
  %s = graph.add %e, %one : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %p = graph.mul %x, %s : tensor<3x5xf32>
  %r = graph.mul %p, %half : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

// -----

// erf of x / 1.5.
// CHECK-LABEL: func.func @other_argument
// CHECK-NOT: graph.gelu
func.func @other_argument(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %root = graph.constant dense<1.5> : tensor<f32>
  %u = graph.div %x, %root : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %e = graph.erf %u : tensor<3x5xf32>
  %s = graph.add %e, %one : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %p = graph.mul %x, %s : tensor<3x5xf32>
  %r = graph.mul %p, %half : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

// -----

// erf of another value.
// CHECK-LABEL: func.func @other_input
// CHECK-NOT: graph.gelu
func.func @other_input(%x: tensor<3x5xf32>, %z: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %root = graph.constant dense<1.41421354> : tensor<f32>
  %u = graph.div %z, %root : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %e = graph.erf %u : tensor<3x5xf32>
  %s = graph.add %e, %one : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %p = graph.mul %x, %s : tensor<3x5xf32>
  %r = graph.mul %p, %half : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

// -----

// 1 - erf.
// CHECK-LABEL: func.func @complement
// CHECK-NOT: graph.gelu
func.func @complement(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %root = graph.constant dense<1.41421354> : tensor<f32>
  %u = graph.div %x, %root : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %e = graph.erf %u : tensor<3x5xf32>
  %s = graph.sub %one, %e : (tensor<f32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %p = graph.mul %x, %s : tensor<3x5xf32>
  %r = graph.mul %p, %half : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

// -----

// Another cubic term.
// CHECK-LABEL: func.func @other_cubic
// CHECK-NOT: graph.gelu
func.func @other_cubic(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %k = graph.constant dense<0.05> : tensor<f32>
  %c = graph.constant dense<0.797884583> : tensor<f32>
  %three = graph.constant dense<3.0> : tensor<f32>
  %q = graph.pow %x, %three : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %m = graph.mul %q, %k : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %i = graph.add %x, %m : tensor<3x5xf32>
  %u = graph.mul %i, %c : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %t = graph.tanh %u : tensor<3x5xf32>
  %s = graph.add %t, %one : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %h = graph.mul %x, %half : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %r = graph.mul %h, %s : tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

// -----

// Rows of scales, not one scale.
// CHECK-LABEL: func.func @scales_of_columns
// CHECK-NOT: graph.gelu
func.func @scales_of_columns(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %one = graph.constant dense<1.0> : tensor<f32>
  %root = graph.constant dense<1.41421354> : tensor<f32>
  %cols = graph.constant dense<[0.5, 0.5, 0.5, 0.5, 0.25]> : tensor<5xf32>
  %u = graph.div %x, %root : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %e = graph.erf %u : tensor<3x5xf32>
  %s = graph.add %e, %one : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %p = graph.mul %x, %s : tensor<3x5xf32>
  %r = graph.mul %p, %cols : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

// -----

// A cast in the middle rounds.
// CHECK-LABEL: func.func @rounded
// CHECK-NOT: graph.gelu
func.func @rounded(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %root = graph.constant dense<1.41421354> : tensor<f32>
  %u = graph.div %x, %root : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %e = graph.erf %u : tensor<3x5xf32>
  %s = graph.add %e, %one : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %n = graph.cast %s : tensor<3x5xf32> to tensor<3x5xf16>
  %w = graph.cast %n : tensor<3x5xf16> to tensor<3x5xf32>
  %p = graph.mul %x, %w : tensor<3x5xf32>
  %r = graph.mul %p, %half : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}
