// RUN: minic-opt %s --split-input-file --graph-raise | FileCheck %s

// Eager attention: a scale behind the product, an additive mask that is a number
// for every key. 1 / sqrt(D) need not be said.
// CHECK-LABEL: func.func @eager
// CHECK-SAME: %[[Q:[^:]+]]: {{[^,]+}}, %[[K:[^:]+]]: {{[^,]+}}, %[[V:[^:]+]]: {{[^,]+}}, %[[KEEP:[^:]+]]:
// CHECK:      %[[MASK:.+]] = graph.select %[[KEEP]], {{.+}} -> tensor<2x1x1x7xf32>
// CHECK-NEXT: %[[A:.+]] = graph.attention %[[Q]], %[[K]], %[[V]] mask %[[MASK]] : ({{.*}}) -> tensor<2x3x5x6xf32>
// CHECK-NEXT: return %[[A]]
func.func @eager(%q: tensor<2x3x5x4xf32>, %k: tensor<2x3x7x4xf32>, %v: tensor<2x3x7x6xf32>, %keep: tensor<2x1x1x7xi1>) -> tensor<2x3x5x6xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %lowest = graph.constant dense<0xFF7FFFFF> : tensor<f32>
  %mask = graph.select %keep, %zero, %lowest : (tensor<2x1x1x7xi1>, tensor<f32>, tensor<f32>) -> tensor<2x1x1x7xf32>
  %c = graph.constant dense<0.5> : tensor<f32>
  %0 = graph.matmul %q, %k {transpose_rhs} : (tensor<2x3x5x4xf32>, tensor<2x3x7x4xf32>) -> tensor<2x3x5x7xf32>
  %1 = graph.mul %0, %c : (tensor<2x3x5x7xf32>, tensor<f32>) -> tensor<2x3x5x7xf32>
  %2 = graph.add %1, %mask : (tensor<2x3x5x7xf32>, tensor<2x1x1x7xf32>) -> tensor<2x3x5x7xf32>
  %3 = graph.softmax %2 axis = 3 : tensor<2x3x5x7xf32>
  %4 = graph.matmul %3, %v : (tensor<2x3x5x7xf32>, tensor<2x3x7x6xf32>) -> tensor<2x3x5x6xf32>
  return %4 : tensor<2x3x5x6xf32>
}

// -----

// As exporters write an attention with an i1: both operands have the root of
// the scale, the key is transposed as a batch of matrices, and NaN becomes 0.
// The lowest f32 is -infinity then.
// CHECK-LABEL: func.func @guarded
// CHECK-SAME: %[[Q:[^:]+]]: {{[^,]+}}, %[[K:[^:]+]]: {{[^,]+}}, %[[V:[^:]+]]: {{[^,]+}}, %[[KEEP:[^:]+]]:
// CHECK-NEXT: graph.attention %[[Q]], %[[K]], %[[V]] mask %[[KEEP]] : ({{.*}}tensor<2x1x1x7xi1>) -> tensor<2x3x5x6xf32>
func.func @guarded(%q: tensor<2x3x5x4xf32>, %k: tensor<2x3x7x4xf32>, %v: tensor<2x3x7x6xf32>, %keep: tensor<2x1x1x7xi1>) -> tensor<2x3x5x6xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %lowest = graph.constant dense<0xFF7FFFFF> : tensor<f32>
  %c = graph.constant dense<0.70710677> : tensor<f32>
  %mask = graph.select %keep, %zero, %lowest : (tensor<2x1x1x7xi1>, tensor<f32>, tensor<f32>) -> tensor<2x1x1x7xf32>
  %k1 = graph.reshape %k : tensor<2x3x7x4xf32> to tensor<6x7x4xf32>
  %k2 = graph.transpose %k1 [0, 2, 1] : tensor<6x7x4xf32> -> tensor<6x4x7xf32>
  %k3 = graph.reshape %k2 : tensor<6x4x7xf32> to tensor<2x3x4x7xf32>
  %k4 = graph.mul %k3, %c : (tensor<2x3x4x7xf32>, tensor<f32>) -> tensor<2x3x4x7xf32>
  %q1 = graph.mul %q, %c : (tensor<2x3x5x4xf32>, tensor<f32>) -> tensor<2x3x5x4xf32>
  %0 = graph.matmul %q1, %k4 : (tensor<2x3x5x4xf32>, tensor<2x3x4x7xf32>) -> tensor<2x3x5x7xf32>
  %1 = graph.add %mask, %0 : (tensor<2x1x1x7xf32>, tensor<2x3x5x7xf32>) -> tensor<2x3x5x7xf32>
  %2 = graph.softmax %1 axis = 3 : tensor<2x3x5x7xf32>
  %3 = graph.is_nan %2 : tensor<2x3x5x7xf32> -> tensor<2x3x5x7xi1>
  %4 = graph.select %3, %zero, %2 : (tensor<2x3x5x7xi1>, tensor<f32>, tensor<2x3x5x7xf32>) -> tensor<2x3x5x7xf32>
  %5 = graph.matmul %4, %v : (tensor<2x3x5x7xf32>, tensor<2x3x7x6xf32>) -> tensor<2x3x5x6xf32>
  return %5 : tensor<2x3x5x6xf32>
}

// -----

// torchvision keeps a position's heads together: the key's own transpose takes up
// that of the product, which stands before the reshape to batch and heads.
// CHECK-LABEL: func.func @positions_first
// CHECK-SAME: %[[Q:[^:]+]]: {{[^,]+}}, %[[K:[^:]+]]: {{[^,]+}}, %[[V:[^:]+]]:
// CHECK-NEXT: %[[K1:.+]] = graph.transpose %[[K]] [1, 0, 2] : tensor<7x6x4xf32> -> tensor<6x7x4xf32>
// CHECK-NEXT: %[[K2:.+]] = graph.reshape %[[K1]] : tensor<6x7x4xf32> to tensor<2x3x7x4xf32>
// CHECK-NEXT: %[[A:.+]] = graph.attention %[[Q]], %[[K2]], %[[V]]
// CHECK-NEXT: return %[[A]]
func.func @positions_first(%q: tensor<2x3x5x4xf32>, %k: tensor<7x6x4xf32>, %v: tensor<2x3x7x6xf32>) -> tensor<2x3x5x6xf32> {
  %c = graph.constant dense<0.5> : tensor<f32>
  %k1 = graph.transpose %k [1, 2, 0] : tensor<7x6x4xf32> -> tensor<6x4x7xf32>
  %k2 = graph.reshape %k1 : tensor<6x4x7xf32> to tensor<2x3x4x7xf32>
  %k3 = graph.mul %k2, %c : (tensor<2x3x4x7xf32>, tensor<f32>) -> tensor<2x3x4x7xf32>
  %0 = graph.matmul %q, %k3 : (tensor<2x3x5x4xf32>, tensor<2x3x4x7xf32>) -> tensor<2x3x5x7xf32>
  %1 = graph.softmax %0 axis = 3 : tensor<2x3x5x7xf32>
  %2 = graph.matmul %1, %v : (tensor<2x3x5x7xf32>, tensor<2x3x7x6xf32>) -> tensor<2x3x5x6xf32>
  return %2 : tensor<2x3x5x6xf32>
}

// -----

// Batch and heads are one dimension in the products, and two where the mask is
// added. The query is divided by a number of its own; the result is the
// product's.
// CHECK-LABEL: func.func @flat
// CHECK-SAME: %[[Q:[^:]+]]: {{[^,]+}}, %[[K:[^:]+]]: {{[^,]+}}, %[[V:[^:]+]]: {{[^,]+}}, %[[KEEP:[^:]+]]:
// CHECK-DAG:  %[[Q4:.+]] = graph.reshape %[[Q]] : tensor<6x5x4xf32> to tensor<2x3x5x4xf32>
// CHECK-DAG:  %[[K4:.+]] = graph.reshape %[[K]] : tensor<6x7x4xf32> to tensor<2x3x7x4xf32>
// CHECK-DAG:  %[[V4:.+]] = graph.reshape %[[V]] : tensor<6x7x4xf32> to tensor<2x3x7x4xf32>
// CHECK-DAG:  %[[MASK:.+]] = graph.select %[[KEEP]]
// CHECK:      %[[A:.+]] = graph.attention %[[Q4]], %[[K4]], %[[V4]] mask %[[MASK]] {scale = 2.500000e-01 : f64}
// CHECK-NEXT: graph.reshape %[[A]] : tensor<2x3x5x4xf32> to tensor<6x5x4xf32>
func.func @flat(%q: tensor<6x5x4xf32>, %k: tensor<6x7x4xf32>, %v: tensor<6x7x4xf32>, %keep: tensor<2x1x5x7xi1>) -> tensor<6x5x4xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %low = graph.constant dense<-10000.0> : tensor<f32>
  %mask = graph.select %keep, %zero, %low : (tensor<2x1x5x7xi1>, tensor<f32>, tensor<f32>) -> tensor<2x1x5x7xf32>
  %c = graph.constant dense<4.0> : tensor<f32>
  %q1 = graph.div %q, %c : (tensor<6x5x4xf32>, tensor<f32>) -> tensor<6x5x4xf32>
  %0 = graph.matmul %q1, %k {transpose_rhs} : (tensor<6x5x4xf32>, tensor<6x7x4xf32>) -> tensor<6x5x7xf32>
  %1 = graph.reshape %0 : tensor<6x5x7xf32> to tensor<2x3x5x7xf32>
  %2 = graph.add %1, %mask : (tensor<2x3x5x7xf32>, tensor<2x1x5x7xf32>) -> tensor<2x3x5x7xf32>
  %3 = graph.reshape %2 : tensor<2x3x5x7xf32> to tensor<6x5x7xf32>
  %4 = graph.softmax %3 axis = 2 : tensor<6x5x7xf32>
  %5 = graph.matmul %4, %v : (tensor<6x5x7xf32>, tensor<6x7x4xf32>) -> tensor<6x5x4xf32>
  return %5 : tensor<6x5x4xf32>
}

// -----

// bf16 with scores and weights in f32: attention has them in f32 as well, and
// rounds weights once.
// CHECK-LABEL: func.func @wide_scores
// CHECK-SAME: %[[Q:[^:]+]]: {{[^,]+}}, %[[K:[^:]+]]: {{[^,]+}}, %[[V:[^:]+]]:
// CHECK-NEXT: graph.attention %[[Q]], %[[K]], %[[V]] {scale = 1.000000e+00 : f64} : {{.*}} -> tensor<1x3x5x4xbf16>
func.func @wide_scores(%q: tensor<1x3x5x4xbf16>, %k: tensor<1x3x7x4xbf16>, %v: tensor<1x3x7x4xbf16>) -> tensor<1x3x5x4xbf16> {
  %0 = graph.matmul %q, %k {transpose_rhs} : (tensor<1x3x5x4xbf16>, tensor<1x3x7x4xbf16>) -> tensor<1x3x5x7xbf16>
  %1 = graph.cast %0 : tensor<1x3x5x7xbf16> to tensor<1x3x5x7xf32>
  %2 = graph.softmax %1 axis = 3 : tensor<1x3x5x7xf32>
  %3 = graph.cast %2 : tensor<1x3x5x7xf32> to tensor<1x3x5x7xbf16>
  %4 = graph.matmul %3, %v : (tensor<1x3x5x7xbf16>, tensor<1x3x7x4xbf16>) -> tensor<1x3x5x4xbf16>
  return %4 : tensor<1x3x5x4xbf16>
}

// -----

// Wide operands stay wide: weights in f32 are not rounded to bf16.
// CHECK-LABEL: func.func @wide_operands
// CHECK-COUNT-3: graph.cast {{.*}} to tensor<{{.*}}xf32>
// CHECK-NEXT: graph.attention {{.*}} -> tensor<1x3x5x4xf32>
func.func @wide_operands(%q: tensor<1x3x5x4xbf16>, %k: tensor<1x3x7x4xbf16>, %v: tensor<1x3x7x4xbf16>) -> tensor<1x3x5x4xf32> {
  %q1 = graph.cast %q : tensor<1x3x5x4xbf16> to tensor<1x3x5x4xf32>
  %k1 = graph.cast %k : tensor<1x3x7x4xbf16> to tensor<1x3x7x4xf32>
  %v1 = graph.cast %v : tensor<1x3x7x4xbf16> to tensor<1x3x7x4xf32>
  %0 = graph.matmul %q1, %k1 {transpose_rhs} : (tensor<1x3x5x4xf32>, tensor<1x3x7x4xf32>) -> tensor<1x3x5x7xf32>
  %1 = graph.softmax %0 axis = 3 : tensor<1x3x5x7xf32>
  %2 = graph.matmul %1, %v1 : (tensor<1x3x5x7xf32>, tensor<1x3x7x4xf32>) -> tensor<1x3x5x4xf32>
  return %2 : tensor<1x3x5x4xf32>
}

// -----

// A cap is applied to scaled scores, before the mask.
// CHECK-LABEL: func.func @soft_cap
// CHECK: graph.attention {{.*}} mask %{{.+}} {scale = 2.500000e-01 : f64, soft_cap = 5.000000e+01 : f64}
func.func @soft_cap(%q: tensor<1x3x5x4xf32>, %k: tensor<1x3x7x4xf32>, %v: tensor<1x3x7x4xf32>, %bias: tensor<3x1x7xi64>) -> tensor<1x3x5x4xf32> {
  %mask = graph.cast %bias : tensor<3x1x7xi64> to tensor<3x1x7xf32>
  %c = graph.constant dense<0.25> : tensor<f32>
  %cap = graph.constant dense<50.0> : tensor<f32>
  %0 = graph.matmul %q, %k {transpose_rhs} : (tensor<1x3x5x4xf32>, tensor<1x3x7x4xf32>) -> tensor<1x3x5x7xf32>
  %1 = graph.mul %0, %c : (tensor<1x3x5x7xf32>, tensor<f32>) -> tensor<1x3x5x7xf32>
  %2 = graph.div %1, %cap : (tensor<1x3x5x7xf32>, tensor<f32>) -> tensor<1x3x5x7xf32>
  %3 = graph.tanh %2 : tensor<1x3x5x7xf32>
  %4 = graph.mul %3, %cap : (tensor<1x3x5x7xf32>, tensor<f32>) -> tensor<1x3x5x7xf32>
  %5 = graph.add %4, %mask : (tensor<1x3x5x7xf32>, tensor<3x1x7xf32>) -> tensor<1x3x5x7xf32>
  %6 = graph.softmax %5 axis = 3 : tensor<1x3x5x7xf32>
  %7 = graph.matmul %6, %v : (tensor<1x3x5x7xf32>, tensor<1x3x7x4xf32>) -> tensor<1x3x5x4xf32>
  return %7 : tensor<1x3x5x4xf32>
}

// -----

// Windows of two pictures: batch is two dimensions, of which the second mask has
// one. What both add is one mask.
// CHECK-LABEL: func.func @windows
// CHECK-SAME: %[[Q:[^:]+]]: {{[^,]+}}, %[[K:[^:]+]]: {{[^,]+}}, %[[V:[^:]+]]: {{[^,]+}}, %[[BIAS:[^:]+]]: {{[^,]+}}, %[[SHIFT:[^:]+]]:
// CHECK-DAG:  %[[B:.+]] = graph.cast %[[BIAS]]
// CHECK-DAG:  %[[S:.+]] = graph.cast %[[SHIFT]]
// CHECK:      %[[ALL:.+]] = graph.broadcast %[[S]] : tensor<2x1x5x5xf32> to tensor<2x2x1x5x5xf32>
// CHECK-NEXT: %[[S4:.+]] = graph.reshape %[[ALL]] : tensor<2x2x1x5x5xf32> to tensor<4x1x5x5xf32>
// CHECK-NEXT: %[[MASK:.+]] = graph.add %[[B]], %[[S4]]
// CHECK-NEXT: graph.attention %[[Q]], %[[K]], %[[V]] mask %[[MASK]]
func.func @windows(%q: tensor<4x3x5x4xf32>, %k: tensor<4x3x5x4xf32>, %v: tensor<4x3x5x4xf32>, %bias: tensor<3x5x5xi64>, %shift: tensor<2x1x5x5xi64>) -> tensor<4x3x5x4xf32> {
  %b = graph.cast %bias : tensor<3x5x5xi64> to tensor<3x5x5xf32>
  %s = graph.cast %shift : tensor<2x1x5x5xi64> to tensor<2x1x5x5xf32>
  %0 = graph.matmul %q, %k {transpose_rhs} : (tensor<4x3x5x4xf32>, tensor<4x3x5x4xf32>) -> tensor<4x3x5x5xf32>
  %1 = graph.add %0, %b : (tensor<4x3x5x5xf32>, tensor<3x5x5xf32>) -> tensor<4x3x5x5xf32>
  %2 = graph.reshape %1 : tensor<4x3x5x5xf32> to tensor<2x2x3x5x5xf32>
  %3 = graph.add %2, %s : (tensor<2x2x3x5x5xf32>, tensor<2x1x5x5xf32>) -> tensor<2x2x3x5x5xf32>
  %4 = graph.reshape %3 : tensor<2x2x3x5x5xf32> to tensor<4x3x5x5xf32>
  %5 = graph.softmax %4 axis = 3 : tensor<4x3x5x5xf32>
  %6 = graph.matmul %5, %v : (tensor<4x3x5x5xf32>, tensor<4x3x5x4xf32>) -> tensor<4x3x5x4xf32>
  return %6 : tensor<4x3x5x4xf32>
}

// -----

// Scores that are replaced by -infinity: a constant with a key for each query.
// CHECK-LABEL: func.func @replaced
// CHECK-NOT: graph.softmax
// CHECK: graph.attention %{{.+}}, %{{.+}}, %{{.+}} {causal = #graph.causal<upper_left>, scale = 1.000000e+00 : f64}
func.func @replaced(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>, %v: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %later = graph.constant dense<[[false, true, true], [false, false, true], [false, false, false]]> : tensor<3x3xi1>
  %none = graph.constant dense<0xFF800000> : tensor<f32>
  %0 = graph.matmul %q, %k {transpose_rhs} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %1 = graph.select %later, %none, %0 : (tensor<3x3xi1>, tensor<f32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %2 = graph.softmax %1 axis = 3 : tensor<1x2x3x3xf32>
  %3 = graph.matmul %2, %v : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return %3 : tensor<1x2x3x4xf32>
}

// -----

// Without a guard, a query whose keys are all left out is NaN; so it stays.
// CHECK-LABEL: func.func @no_guard
// CHECK-NOT: graph.attention
func.func @no_guard(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>, %v: tensor<1x2x3x4xf32>, %keep: tensor<3x3xi1>) -> tensor<1x2x3x4xf32> {
  %none = graph.constant dense<0xFF800000> : tensor<f32>
  %0 = graph.matmul %q, %k {transpose_rhs} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %1 = graph.select %keep, %0, %none : (tensor<3x3xi1>, tensor<1x2x3x3xf32>, tensor<f32>) -> tensor<1x2x3x3xf32>
  %2 = graph.softmax %1 axis = 3 : tensor<1x2x3x3xf32>
  %3 = graph.matmul %2, %v : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return %3 : tensor<1x2x3x4xf32>
}

// -----

// Nor is it known what a float that is an input leaves out.
// CHECK-LABEL: func.func @unknown_mask
// CHECK-NOT: graph.attention
func.func @unknown_mask(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>, %v: tensor<1x2x3x4xf32>, %mask: tensor<3x3xf32>) -> tensor<1x2x3x4xf32> {
  %0 = graph.matmul %q, %k {transpose_rhs} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %1 = graph.add %0, %mask : (tensor<1x2x3x3xf32>, tensor<3x3xf32>) -> tensor<1x2x3x3xf32>
  %2 = graph.softmax %1 axis = 3 : tensor<1x2x3x3xf32>
  %3 = graph.matmul %2, %v : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return %3 : tensor<1x2x3x4xf32>
}

// -----

// A query of a constant mask has no key.
// CHECK-LABEL: func.func @dropped_keys
// CHECK-NOT: graph.attention
func.func @dropped_keys(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>, %v: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %keep = graph.constant dense<[[true, false, true], [false, false, false], [true, true, true]]> : tensor<3x3xi1>
  %none = graph.constant dense<0xFF800000> : tensor<f32>
  %0 = graph.matmul %q, %k {transpose_rhs} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %1 = graph.select %keep, %0, %none : (tensor<3x3xi1>, tensor<1x2x3x3xf32>, tensor<f32>) -> tensor<1x2x3x3xf32>
  %2 = graph.softmax %1 axis = 3 : tensor<1x2x3x3xf32>
  %3 = graph.matmul %2, %v : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return %3 : tensor<1x2x3x4xf32>
}

// -----

// Scores that are replaced by a number that others may be lower than.
// CHECK-LABEL: func.func @small_fill
// CHECK-NOT: graph.attention
func.func @small_fill(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>, %v: tensor<1x2x3x4xf32>, %keep: tensor<3x3xi1>) -> tensor<1x2x3x4xf32> {
  %low = graph.constant dense<-10000.0> : tensor<f32>
  %0 = graph.matmul %q, %k {transpose_rhs} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %1 = graph.select %keep, %0, %low : (tensor<3x3xi1>, tensor<1x2x3x3xf32>, tensor<f32>) -> tensor<1x2x3x3xf32>
  %2 = graph.softmax %1 axis = 3 : tensor<1x2x3x3xf32>
  %3 = graph.matmul %2, %v : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return %3 : tensor<1x2x3x4xf32>
}

// -----

// Softmax over the queries.
// CHECK-LABEL: func.func @other_axis
// CHECK-NOT: graph.attention
func.func @other_axis(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>, %v: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %0 = graph.matmul %q, %k {transpose_rhs} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %1 = graph.softmax %0 axis = 2 : tensor<1x2x3x3xf32>
  %2 = graph.matmul %1, %v : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return %2 : tensor<1x2x3x4xf32>
}

// -----

// The weights are a result of the model too.
// CHECK-LABEL: func.func @weights
// CHECK-NOT: graph.attention
func.func @weights(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>, %v: tensor<1x2x3x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3x3xf32>) {
  %0 = graph.matmul %q, %k {transpose_rhs} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %1 = graph.softmax %0 axis = 3 : tensor<1x2x3x3xf32>
  %2 = graph.matmul %1, %v : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return %2, %1 : tensor<1x2x3x4xf32>, tensor<1x2x3x3xf32>
}

// -----

// A factor for each head, and one for each column of the query.
// CHECK-LABEL: func.func @scales
// CHECK-NOT: graph.attention
// CHECK:      %[[Q:.+]] = graph.mul %{{.+}}, %{{.+}} : (tensor<1x2x3x4xf32>, tensor<4xf32>)
// CHECK:      graph.attention %[[Q]], %{{.+}}, %{{.+}} {scale = 1.000000e+00 : f64}
func.func @scales(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>, %v: tensor<1x2x3x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) {
  %heads = graph.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32>
  %0 = graph.matmul %q, %k {transpose_rhs} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %1 = graph.mul %0, %heads : (tensor<1x2x3x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3x3xf32>
  %2 = graph.softmax %1 axis = 3 : tensor<1x2x3x3xf32>
  %3 = graph.matmul %2, %v : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  %columns = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %q1 = graph.mul %q, %columns : (tensor<1x2x3x4xf32>, tensor<4xf32>) -> tensor<1x2x3x4xf32>
  %4 = graph.matmul %q1, %k {transpose_rhs} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %5 = graph.softmax %4 axis = 3 : tensor<1x2x3x3xf32>
  %6 = graph.matmul %5, %v : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return %3, %6 : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>
}

// -----

// A key as it is read is what it is: transposed by attention.
// CHECK-LABEL: func.func @key_of_columns
// CHECK:      %[[K:.+]] = graph.transpose %{{.+}} [0, 1, 3, 2] : tensor<1x2x4x3xf32> -> tensor<1x2x3x4xf32>
// CHECK-NEXT: graph.attention %{{.+}}, %[[K]], %{{.+}} {scale
func.func @key_of_columns(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x4x3xf32>, %v: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %0 = graph.matmul %q, %k : (tensor<1x2x3x4xf32>, tensor<1x2x4x3xf32>) -> tensor<1x2x3x3xf32>
  %1 = graph.softmax %0 axis = 3 : tensor<1x2x3x3xf32>
  %2 = graph.matmul %1, %v : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return %2 : tensor<1x2x3x4xf32>
}

// -----

// Swin: windows of an image are a part of the batch, and a mask differs between them.
// Where it holds numbers, no query can be without keys; -infinity might be all of a row.
// CHECK-LABEL: func.func @windows
// CHECK:       %[[BATCH:.+]] = graph.broadcast %{{.+}} : tensor<1x2x1x2x2xf32> to tensor<3x2x1x2x2xf32>
// CHECK:       %[[MASK:.+]] = graph.reshape %[[BATCH]] : tensor<3x2x1x2x2xf32> to tensor<6x1x2x2xf32>
// CHECK:       graph.attention %{{.+}}, %{{.+}}, %{{.+}} mask %[[MASK]]
// CHECK:       graph.softmax
// CHECK-NOT:   graph.attention
func.func @windows(%q: tensor<6x5x2x4xf32>) -> (tensor<6x5x2x4xf32>, tensor<6x5x2x4xf32>) {
  %mask = graph.constant dense<[[[[[0.0, -100.0], [-100.0, 0.0]]], [[[0.0, 0.0], [-100.0, -100.0]]]]]> : tensor<1x2x1x2x2xf32>
  %scores = graph.matmul %q, %q {transpose_rhs} : (tensor<6x5x2x4xf32>, tensor<6x5x2x4xf32>) -> tensor<6x5x2x2xf32>
  %apart = graph.reshape %scores : tensor<6x5x2x2xf32> to tensor<3x2x5x2x2xf32>
  %masked = graph.add %apart, %mask : (tensor<3x2x5x2x2xf32>, tensor<1x2x1x2x2xf32>) -> tensor<3x2x5x2x2xf32>
  %whole = graph.reshape %masked : tensor<3x2x5x2x2xf32> to tensor<6x5x2x2xf32>
  %weights = graph.softmax %whole axis = 3 : tensor<6x5x2x2xf32>
  %0 = graph.matmul %weights, %q : (tensor<6x5x2x2xf32>, tensor<6x5x2x4xf32>) -> tensor<6x5x2x4xf32>
  %none = graph.constant dense<[[[[[0.0, 0xFF800000], [0.0, 0.0]]], [[[0.0, 0.0], [0xFF800000, 0xFF800000]]]]]> : tensor<1x2x1x2x2xf32>
  %scores1 = graph.matmul %q, %q {transpose_rhs} : (tensor<6x5x2x4xf32>, tensor<6x5x2x4xf32>) -> tensor<6x5x2x2xf32>
  %apart1 = graph.reshape %scores1 : tensor<6x5x2x2xf32> to tensor<3x2x5x2x2xf32>
  %masked1 = graph.add %apart1, %none : (tensor<3x2x5x2x2xf32>, tensor<1x2x1x2x2xf32>) -> tensor<3x2x5x2x2xf32>
  %whole1 = graph.reshape %masked1 : tensor<3x2x5x2x2xf32> to tensor<6x5x2x2xf32>
  %weights1 = graph.softmax %whole1 axis = 3 : tensor<6x5x2x2xf32>
  %1 = graph.matmul %weights1, %q : (tensor<6x5x2x2xf32>, tensor<6x5x2x4xf32>) -> tensor<6x5x2x4xf32>
  return %0, %1 : tensor<6x5x2x4xf32>, tensor<6x5x2x4xf32>
}
