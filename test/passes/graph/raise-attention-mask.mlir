// RUN: minic-opt %s --split-input-file --graph-raise | FileCheck %s

// Constants that attention has a name for: all keys, those up to the query's
// position, also where the last query is at the last key, and windows.
// CHECK-LABEL: func.func @bands
// CHECK-NOT:  graph.constant
// CHECK:      graph.attention %{{.+}}, %{{.+}}, %{{.+}} :
// CHECK-NEXT: graph.attention %{{.+}}, %{{.+}}, %{{.+}} {causal = #graph.causal<upper_left>} :
// CHECK-NEXT: graph.attention %{{.+}}, %{{.+}}, %{{.+}} {causal = #graph.causal<lower_right>} :
// CHECK-NEXT: graph.attention %{{.+}}, %{{.+}}, %{{.+}} {causal = #graph.causal<lower_right>, window = 2 : i64} :
// CHECK-NEXT: graph.attention %{{.+}}, %{{.+}}, %{{.+}} {window = 2 : i64} :
func.func @bands(%q: tensor<2x2x3x4xf32>, %k: tensor<2x2x4x4xf32>) -> (tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>) {
  %all = graph.constant dense<true> : tensor<1x1x3x4xi1>
  %0 = graph.attention %q, %k, %k mask %all : (tensor<2x2x3x4xf32>, tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>, tensor<1x1x3x4xi1>) -> tensor<2x2x3x4xf32>
  %upper = graph.constant dense<[[true, false, false, false], [true, true, false, false], [true, true, true, false]]> : tensor<3x4xi1>
  %1 = graph.attention %q, %k, %k mask %upper : (tensor<2x2x3x4xf32>, tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>, tensor<3x4xi1>) -> tensor<2x2x3x4xf32>
  %lower = graph.constant dense<[[true, true, false, false], [true, true, true, false], [true, true, true, true]]> : tensor<3x4xi1>
  %2 = graph.attention %q, %k, %k mask %lower : (tensor<2x2x3x4xf32>, tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>, tensor<3x4xi1>) -> tensor<2x2x3x4xf32>
  %sliding = graph.constant dense<[[true, true, false, false], [false, true, true, false], [false, false, true, true]]> : tensor<3x4xi1>
  %3 = graph.attention %q, %k, %k mask %sliding : (tensor<2x2x3x4xf32>, tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>, tensor<3x4xi1>) -> tensor<2x2x3x4xf32>
  %around = graph.constant dense<[[true, true, false], [true, true, true], [false, true, true]]> : tensor<3x3xi1>
  %4 = graph.attention %q, %q, %q mask %around : (tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>, tensor<3x3xi1>) -> tensor<2x2x3x4xf32>
  return %0, %1, %2, %3, %4 : tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>
}

// -----

// Floats that are 0 or leave keys out, for each element of the batch alike. The
// lowest f32 does beside a key that takes part, -10000 may not.
// CHECK-LABEL: func.func @floats
// CHECK:      %[[LOW:.+]] = graph.constant dense<{{.*}}-1.000000e+04{{.*}}> : tensor<2x2xf32>
// CHECK-NOT:  graph.constant
// CHECK:      graph.attention %{{.+}}, %{{.+}}, %{{.+}} :
// CHECK-NEXT: graph.attention %{{.+}}, %{{.+}}, %{{.+}} {causal = #graph.causal<upper_left>} :
// CHECK-NEXT: graph.attention %{{.+}}, %{{.+}}, %{{.+}} {causal = #graph.causal<upper_left>} :
// CHECK-NEXT: graph.attention %{{.+}}, %{{.+}}, %{{.+}} mask %[[LOW]] :
func.func @floats(%q: tensor<2x3x2x4xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>) {
  %zero = graph.constant dense<0.0> : tensor<2x1x2x2xf32>
  %0 = graph.attention %q, %q, %q mask %zero : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x1x2x2xf32>) -> tensor<2x3x2x4xf32>
  %none = graph.constant dense<[[0.0, 0xFF800000], [0.0, 0.0]]> : tensor<2x2xf32>
  %1 = graph.attention %q, %q, %q mask %none : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x2xf32>) -> tensor<2x3x2x4xf32>
  %lowest = graph.constant dense<[[[[0.0, 0xFF7FFFFF], [0.0, 0.0]]], [[[0.0, 0xFF7FFFFF], [0.0, 0.0]]]]> : tensor<2x1x2x2xf32>
  %2 = graph.attention %q, %q, %q mask %lowest : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x1x2x2xf32>) -> tensor<2x3x2x4xf32>
  %low = graph.constant dense<[[0.0, -10000.0], [0.0, 0.0]]> : tensor<2x2xf32>
  %3 = graph.attention %q, %q, %q mask %low : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x2xf32>) -> tensor<2x3x2x4xf32>
  return %0, %1, %2, %3 : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>
}

// -----

// A row of the lowest f32 is a row of equal scores, and stays one.
// CHECK-LABEL: func.func @lowest_row
// CHECK: graph.attention {{.*}} mask %{{.+}} : ({{.*}}, tensor<2x1xf32>)
func.func @lowest_row(%q: tensor<1x3x2x4xf32>) -> tensor<1x3x2x4xf32> {
  %mask = graph.constant dense<[[0xFF7FFFFF, 0xFF7FFFFF], [0.0, 0.0]]> : tensor<2x2xf32>
  %0 = graph.attention %q, %q, %q mask %mask : (tensor<1x3x2x4xf32>, tensor<1x3x2x4xf32>, tensor<1x3x2x4xf32>, tensor<2x2xf32>) -> tensor<1x3x2x4xf32>
  return %0 : tensor<1x3x2x4xf32>
}

// -----

// A padding mask is an operand of the smallest shape; what is known beside it
// is an attribute, or nothing.
// CHECK-LABEL: func.func @padding
// CHECK-SAME: %[[Q:[^:]+]]: {{[^,]+}}, %[[PAD:[^:]+]]: tensor<2x1x1x3xi1>
// CHECK-NEXT: graph.attention %[[Q]], %[[Q]], %[[Q]] mask %[[PAD]] {causal = #graph.causal<upper_left>} :
// CHECK-NEXT: graph.attention %[[Q]], %[[Q]], %[[Q]] mask %[[PAD]] :
func.func @padding(%q: tensor<2x2x3x4xf32>, %pad: tensor<2x1x1x3xi1>) -> (tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>) {
  %causal = graph.constant dense<[[[[true, false, false], [true, true, false], [true, true, true]]]]> : tensor<1x1x3x3xi1>
  %all = graph.constant dense<true> : tensor<1x1x3x1xi1>
  %0 = graph.and %causal, %pad : (tensor<1x1x3x3xi1>, tensor<2x1x1x3xi1>) -> tensor<2x1x3x3xi1>
  %1 = graph.broadcast %0 : tensor<2x1x3x3xi1> to tensor<2x2x3x3xi1>
  %2 = graph.attention %q, %q, %q mask %1 : (tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>, tensor<2x2x3x3xi1>) -> tensor<2x2x3x4xf32>
  %3 = graph.and %all, %pad : (tensor<1x1x3x1xi1>, tensor<2x1x1x3xi1>) -> tensor<2x1x3x3xi1>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %none = graph.constant dense<0xFF800000> : tensor<f32>
  %4 = graph.select %3, %zero, %none : (tensor<2x1x3x3xi1>, tensor<f32>, tensor<f32>) -> tensor<2x1x3x3xf32>
  %5 = graph.attention %q, %q, %q mask %4 : (tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>, tensor<2x1x3x3xf32>) -> tensor<2x2x3x4xf32>
  return %2, %5 : tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>
}

// -----

// Masks that stay: causal already, another mask for each head, an or, and keys
// that end where an input says.
// CHECK-LABEL: func.func @stay
// CHECK-COUNT-2: graph.constant
// CHECK:      graph.attention {{.*}} mask {{.*}} {causal = #graph.causal<upper_left>, window = 1 : i64}
// CHECK:      graph.attention {{.*}} mask {{.*}} : ({{.*}}, tensor<2x2x2xi1>)
// CHECK:      %[[OR:.+]] = graph.or
// CHECK:      graph.attention {{.*}} mask %[[OR]] :
// CHECK:      graph.attention {{.*}} mask {{.*}} key_length {{.*}} : ({{.*}}, tensor<2xi1>, tensor<i64>)
func.func @stay(%q: tensor<1x2x2x4xf32>, %r: tensor<1x2x1x4xf32>, %pad: tensor<1x2xi1>, %length: tensor<i64>) -> (tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>, tensor<1x2x1x4xf32>) {
  %causal = graph.constant dense<[[true, false], [true, true]]> : tensor<2x2xi1>
  %0 = graph.attention %q, %q, %q mask %causal {causal = #graph.causal<upper_left>, window = 1 : i64} : (tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>, tensor<2x2xi1>) -> tensor<1x2x2x4xf32>
  %heads = graph.constant dense<[[[true, false], [true, true]], [[true, true], [true, true]]]> : tensor<2x2x2xi1>
  %1 = graph.attention %q, %q, %q mask %heads : (tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>, tensor<2x2x2xi1>) -> tensor<1x2x2x4xf32>
  %2 = graph.or %causal, %pad : (tensor<2x2xi1>, tensor<1x2xi1>) -> tensor<2x2xi1>
  %3 = graph.attention %q, %q, %q mask %2 : (tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>, tensor<2x2xi1>) -> tensor<1x2x2x4xf32>
  %last = graph.constant dense<[[false, true]]> : tensor<1x2xi1>
  %4 = graph.attention %r, %q, %q mask %last key_length %length : (tensor<1x2x1x4xf32>, tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>, tensor<1x2xi1>, tensor<i64>) -> tensor<1x2x1x4xf32>
  return %0, %1, %3, %4 : tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>, tensor<1x2x1x4xf32>
}

// -----

// A mask that is too large to be stored is looked at where it is computed.
// CHECK-LABEL: func.func @computed
// CHECK: graph.attention %{{.+}}, %{{.+}}, %{{.+}} {causal = #graph.causal<lower_right>} :
func.func @computed(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>) -> tensor<1x2x3x4xf32> {
  %row = graph.iota axis = 2 : tensor<1x1x3x1xi64>
  %column = graph.iota axis = 3 : tensor<1x1x1x5xi64>
  %past = graph.constant dense<2> : tensor<i64>
  %position = graph.add %row, %past : (tensor<1x1x3x1xi64>, tensor<i64>) -> tensor<1x1x3x1xi64>
  %later = graph.compare gt, %column, %position : (tensor<1x1x1x5xi64>, tensor<1x1x3x1xi64>) -> tensor<1x1x3x5xi1>
  %mask = graph.not %later : tensor<1x1x3x5xi1>
  %0 = graph.attention %q, %k, %k mask %mask : (tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>, tensor<1x1x3x5xi1>) -> tensor<1x2x3x4xf32>
  return %0 : tensor<1x2x3x4xf32>
}
