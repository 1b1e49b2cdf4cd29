// RUN: minic-opt %s --split-input-file --canonicalize | FileCheck %s

// Neutral elements disappear, exactly: -0.0 for add, 0.0 for sub, 1 for mul,
// div and pow, infinities for max and min.
// CHECK-LABEL: func.func @neutral
// CHECK-SAME: (%[[X:.+]]: tensor<2x3xf32>)
// CHECK-NEXT: return %[[X]]
func.func @neutral(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %minus_zero = graph.constant dense<-0.0> : tensor<f32>
  %zero = graph.constant dense<0.0> : tensor<3xf32>
  %one = graph.constant dense<1.0> : tensor<2x3xf32>
  %inf = graph.constant dense<0x7F800000> : tensor<f32>
  %minus_inf = graph.constant dense<0xFF800000> : tensor<f32>
  %0 = graph.add %x, %minus_zero : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %1 = graph.sub %0, %zero : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %2 = graph.mul %one, %1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = graph.div %2, %one : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = graph.pow %3, %one : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = graph.max %4, %minus_inf : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %6 = graph.min %5, %inf : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %7 = graph.clamp %6 {lower = 0xFFF0000000000000 : f64, upper = 0x7FF0000000000000 : f64} : tensor<2x3xf32>
  return %7 : tensor<2x3xf32>
}

// -----

// x + 0.0 is not x where x is -0.0, x * 0.0 is not 0.0 where x is NaN, and what
// broadcasts x changes its shape.
// CHECK-LABEL: func.func @not_neutral
// CHECK: graph.add
// CHECK: graph.mul
// CHECK: graph.mul
func.func @not_neutral(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>) {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %ones = graph.constant dense<1.0> : tensor<2x3xf32>
  %0 = graph.add %x, %zero : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %1 = graph.mul %x, %zero : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %2 = graph.mul %x, %ones : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>
}

// -----

// Integers have one zero.
// CHECK-LABEL: func.func @integer
// CHECK-SAME: (%[[X:.+]]: tensor<3xi32>)
// CHECK-NEXT: return %[[X]]
func.func @integer(%x: tensor<3xi32>) -> tensor<3xi32> {
  %zero = graph.constant dense<0> : tensor<i32>
  %one = graph.constant dense<1> : tensor<i32>
  %0 = graph.add %x, %zero : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  %1 = graph.mul %0, %one : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  return %1 : tensor<3xi32>
}

// -----

// Ops that repeat or undo each other.
// CHECK-LABEL: func.func @repeated
// CHECK-SAME: (%[[X:.+]]: tensor<3xf32>)
// CHECK-NEXT: %[[ABS:.+]] = graph.abs %[[X]]
// CHECK-NEXT: %[[RELU:.+]] = graph.relu %[[X]]
// CHECK-NEXT: return %[[X]], %[[ABS]], %[[RELU]], %[[ABS]]
func.func @repeated(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0 = graph.neg %x : tensor<3xf32>
  %1 = graph.neg %0 : tensor<3xf32>
  %2 = graph.abs %x : tensor<3xf32>
  %3 = graph.abs %2 : tensor<3xf32>
  %4 = graph.relu %x : tensor<3xf32>
  %5 = graph.relu %4 : tensor<3xf32>
  %6 = graph.relu %3 : tensor<3xf32>
  %7 = graph.max %1, %1 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %7, %3, %5, %6 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

// Squares and divisions by powers of two need no pow and no div.
// CHECK-LABEL: func.func @cheaper
// CHECK-SAME: (%[[X:.+]]: tensor<3xf32>)
// CHECK-DAG: %[[EIGHTH:.+]] = graph.constant dense<1.250000e-01>
// CHECK-DAG: %[[THREE:.+]] = graph.constant dense<3.000000e+00>
// CHECK: graph.mul %[[X]], %[[X]]
// CHECK: graph.mul %[[X]], %[[EIGHTH]]
// CHECK: graph.div %[[X]], %[[THREE]]
func.func @cheaper(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %two = graph.constant dense<2.0> : tensor<f32>
  %eight = graph.constant dense<8.0> : tensor<f32>
  %three = graph.constant dense<3.0> : tensor<f32>
  %0 = graph.pow %x, %two : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %1 = graph.div %x, %eight : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %2 = graph.div %x, %three : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

// A cast that loses nothing is skipped by the next one.
// CHECK-LABEL: func.func @exact_casts
// CHECK-SAME: (%[[X:.+]]: tensor<3xbf16>, %[[I:.+]]: tensor<3xi8>)
// CHECK-DAG: %[[HALF:.+]] = graph.cast %[[X]] : tensor<3xbf16> to tensor<3xf16>
// CHECK-DAG: %[[WIDE:.+]] = graph.cast %[[I]] : tensor<3xi8> to tensor<3xf32>
// CHECK: return %[[X]], %[[HALF]], %[[WIDE]]
func.func @exact_casts(%x: tensor<3xbf16>, %i: tensor<3xi8>) -> (tensor<3xbf16>, tensor<3xf16>, tensor<3xf32>) {
  %0 = graph.cast %x : tensor<3xbf16> to tensor<3xf32>
  %1 = graph.cast %0 : tensor<3xf32> to tensor<3xbf16>
  %2 = graph.cast %0 : tensor<3xf32> to tensor<3xf16>
  %3 = graph.cast %i : tensor<3xi8> to tensor<3xf16>
  %4 = graph.cast %3 : tensor<3xf16> to tensor<3xf32>
  return %1, %2, %4 : tensor<3xbf16>, tensor<3xf16>, tensor<3xf32>
}

// -----

// Rounding to bf16 and back is not nothing, and f16 is not within bf16.
// CHECK-LABEL: func.func @rounding_casts
// CHECK-COUNT-4: graph.cast
func.func @rounding_casts(%x: tensor<3xf32>, %y: tensor<3xf16>) -> (tensor<3xf32>, tensor<3xf16>) {
  %0 = graph.cast %x : tensor<3xf32> to tensor<3xbf16>
  %1 = graph.cast %0 : tensor<3xbf16> to tensor<3xf32>
  %2 = graph.cast %y : tensor<3xf16> to tensor<3xbf16>
  %3 = graph.cast %2 : tensor<3xbf16> to tensor<3xf16>
  return %1, %3 : tensor<3xf32>, tensor<3xf16>
}

// -----

// A constant condition picks a side.
// CHECK-LABEL: func.func @select
// CHECK-SAME: (%[[A:.+]]: tensor<3xf32>, %[[B:.+]]: tensor<3xf32>, %[[C:.+]]: tensor<3xi1>)
// CHECK-NEXT: return %[[A]], %[[B]], %[[A]]
func.func @select(%a: tensor<3xf32>, %b: tensor<3xf32>, %c: tensor<3xi1>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %true = graph.constant dense<true> : tensor<3xi1>
  %false = graph.constant dense<false> : tensor<i1>
  %0 = graph.select %true, %a, %b : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = graph.select %false, %a, %b : (tensor<i1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %2 = graph.select %c, %a, %a : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

// Reshapes and transposes in a row become one, or none.
// CHECK-LABEL: func.func @layout
// CHECK-SAME: (%[[X:.+]]: tensor<2x3x4xf32>)
// CHECK-DAG: %[[ROTATED:.+]] = graph.transpose %[[X]] [1, 2, 0]
// CHECK-DAG: %[[FLAT:.+]] = graph.reshape %[[X]] : tensor<2x3x4xf32> to tensor<24xf32>
// CHECK: return %[[X]], %[[ROTATED]], %[[FLAT]], %[[X]]
func.func @layout(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3x4x2xf32>, tensor<24xf32>, tensor<2x3x4xf32>) {
  %0 = graph.transpose %x [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %1 = graph.transpose %0 [1, 2, 0] : tensor<4x2x3xf32> -> tensor<2x3x4xf32>
  %2 = graph.transpose %0 [2, 0, 1] : tensor<4x2x3xf32> -> tensor<3x4x2xf32>
  %3 = graph.reshape %x : tensor<2x3x4xf32> to tensor<6x4xf32>
  %4 = graph.reshape %3 : tensor<6x4xf32> to tensor<24xf32>
  %5 = graph.reshape %3 : tensor<6x4xf32> to tensor<2x3x4xf32>
  return %1, %2, %4, %5 : tensor<2x3x4xf32>, tensor<3x4x2xf32>, tensor<24xf32>, tensor<2x3x4xf32>
}

// -----

// Moving dimensions of extent 1 moves no element.
// CHECK-LABEL: func.func @unit_dims
// CHECK: graph.reshape %{{.+}} : tensor<1x5x1x3xf32> to tensor<5x1x3x1xf32>
// CHECK: graph.transpose %{{.+}} [0, 3, 2, 1]
func.func @unit_dims(%x: tensor<1x5x1x3xf32>) -> (tensor<5x1x3x1xf32>, tensor<1x3x1x5xf32>) {
  %0 = graph.transpose %x [1, 0, 3, 2] : tensor<1x5x1x3xf32> -> tensor<5x1x3x1xf32>
  %1 = graph.transpose %x [0, 3, 2, 1] : tensor<1x5x1x3xf32> -> tensor<1x3x1x5xf32>
  return %0, %1 : tensor<5x1x3x1xf32>, tensor<1x3x1x5xf32>
}

// -----

// An integer quotient truncates: it is no product.
// CHECK-LABEL: func.func @integer_quotient
// CHECK: %[[QUOTIENT:.+]] = graph.div
// CHECK: return %[[QUOTIENT]], %{{.+}} :
func.func @integer_quotient(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %two = graph.constant dense<2> : tensor<i32>
  %one = graph.constant dense<1> : tensor<i32>
  %0 = graph.div %x, %two : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %1 = graph.div %x, %one : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  return %0, %1 : tensor<4xi32>, tensor<4xi32>
}

// -----

// CHECK-LABEL: func.func @bits
// CHECK-SAME: (%[[X:.+]]: tensor<4xi8>, %[[P:.+]]: tensor<4xi1>)
// CHECK-NOT: graph.or
// CHECK: %[[CUT:.+]] = graph.and
// CHECK: %[[SAME:.+]] = graph.xor %[[X]], %[[X]]
// CHECK: return %[[X]], %[[X]], %[[P]], %[[P]], %[[CUT]], %[[SAME]]
func.func @bits(%x: tensor<4xi8>, %p: tensor<4xi1>)
    -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi1>, tensor<4xi1>, tensor<4xi8>, tensor<4xi8>) {
  %ones = graph.constant dense<-1> : tensor<i8>
  %seven = graph.constant dense<7> : tensor<i8>
  %zero = graph.constant dense<0> : tensor<i8>
  %true = graph.constant dense<true> : tensor<i1>
  %0 = graph.and %x, %ones : (tensor<4xi8>, tensor<i8>) -> tensor<4xi8>
  %1 = graph.or %x, %zero : (tensor<4xi8>, tensor<i8>) -> tensor<4xi8>
  %2 = graph.and %p, %true : (tensor<4xi1>, tensor<i1>) -> tensor<4xi1>
  %n = graph.not %p : tensor<4xi1>
  %3 = graph.not %n : tensor<4xi1>
  %4 = graph.and %x, %seven : (tensor<4xi8>, tensor<i8>) -> tensor<4xi8>
  %5 = graph.xor %x, %x : tensor<4xi8>
  return %0, %1, %2, %3, %4, %5 : tensor<4xi8>, tensor<4xi8>, tensor<4xi1>, tensor<4xi1>, tensor<4xi8>, tensor<4xi8>
}
