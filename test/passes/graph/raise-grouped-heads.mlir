// RUN: minic-opt %s --split-input-file --graph-raise | FileCheck %s

// Keys and values that are repeated for successive heads are shared by them.
// CHECK-LABEL: func.func @attention
// CHECK-SAME: %[[Q:[^:]+]]: {{[^,]+}}, %[[K:[^:]+]]: {{[^,]+}}, %[[V:[^:]+]]:
// CHECK-NEXT: graph.attention %[[Q]], %[[K]], %[[V]] : (tensor<2x6x5x4xf32>, tensor<2x3x7x4xf32>, tensor<2x3x7x4xf32>)
func.func @attention(%q: tensor<2x6x5x4xf32>, %k: tensor<2x3x7x4xf32>, %v: tensor<2x3x7x4xf32>) -> tensor<2x6x5x4xf32> {
  %k1 = graph.reshape %k : tensor<2x3x7x4xf32> to tensor<2x3x1x7x4xf32>
  %k2 = graph.broadcast %k1 : tensor<2x3x1x7x4xf32> to tensor<2x3x2x7x4xf32>
  %k3 = graph.reshape %k2 : tensor<2x3x2x7x4xf32> to tensor<2x6x7x4xf32>
  %v1 = graph.reshape %v : tensor<2x3x7x4xf32> to tensor<2x3x1x7x4xf32>
  %v2 = graph.broadcast %v1 : tensor<2x3x1x7x4xf32> to tensor<2x3x2x7x4xf32>
  %v3 = graph.reshape %v2 : tensor<2x3x2x7x4xf32> to tensor<2x6x7x4xf32>
  %0 = graph.attention %q, %k3, %v3 : (tensor<2x6x5x4xf32>, tensor<2x6x7x4xf32>, tensor<2x6x7x4xf32>) -> tensor<2x6x5x4xf32>
  return %0 : tensor<2x6x5x4xf32>
}

// -----

// The same in pieces; keys are transposed as a batch of matrices on the way.
// CHECK-LABEL: func.func @pieces
// CHECK-SAME: %[[Q:[^:]+]]: {{[^,]+}}, %[[K:[^:]+]]: {{[^,]+}}, %[[V:[^:]+]]:
// CHECK-NEXT: graph.attention %[[Q]], %[[K]], %[[V]] : (tensor<2x6x5x4xf32>, tensor<2x3x7x4xf32>, tensor<2x3x7x4xf32>)
func.func @pieces(%q: tensor<2x6x5x4xf32>, %k: tensor<2x3x7x4xf32>, %v: tensor<2x3x7x4xf32>) -> tensor<2x6x5x4xf32> {
  %c = graph.constant dense<0.5> : tensor<f32>
  %k1 = graph.reshape %k : tensor<2x3x7x4xf32> to tensor<2x3x1x7x4xf32>
  %k2 = graph.broadcast %k1 : tensor<2x3x1x7x4xf32> to tensor<2x3x2x7x4xf32>
  %k3 = graph.reshape %k2 : tensor<2x3x2x7x4xf32> to tensor<12x7x4xf32>
  %k4 = graph.transpose %k3 [0, 2, 1] : tensor<12x7x4xf32> -> tensor<12x4x7xf32>
  %k5 = graph.reshape %k4 : tensor<12x4x7xf32> to tensor<2x6x4x7xf32>
  %v1 = graph.reshape %v : tensor<2x3x7x4xf32> to tensor<2x3x1x7x4xf32>
  %v2 = graph.broadcast %v1 : tensor<2x3x1x7x4xf32> to tensor<2x3x2x7x4xf32>
  %v3 = graph.reshape %v2 : tensor<2x3x2x7x4xf32> to tensor<2x6x7x4xf32>
  %0 = graph.matmul %q, %k5 : (tensor<2x6x5x4xf32>, tensor<2x6x4x7xf32>) -> tensor<2x6x5x7xf32>
  %1 = graph.mul %0, %c : (tensor<2x6x5x7xf32>, tensor<f32>) -> tensor<2x6x5x7xf32>
  %2 = graph.softmax %1 axis = 3 : tensor<2x6x5x7xf32>
  %3 = graph.matmul %2, %v3 : (tensor<2x6x5x7xf32>, tensor<2x6x7x4xf32>) -> tensor<2x6x5x4xf32>
  return %3 : tensor<2x6x5x4xf32>
}

// -----

// Products that repeat them: two heads of the query for each of the others.
// CHECK-LABEL: func.func @broadcast
// CHECK-SAME: %[[Q:[^:]+]]: {{[^,]+}}, %[[K:[^:]+]]: {{[^,]+}}, %[[V:[^:]+]]:
// CHECK-DAG:  %[[Q4:.+]] = graph.reshape %[[Q]] : tensor<2x3x2x5x4xf32> to tensor<6x2x5x4xf32>
// CHECK-DAG:  %[[K4:.+]] = graph.reshape %[[K]] : tensor<2x3x1x7x4xf32> to tensor<6x1x7x4xf32>
// CHECK-DAG:  %[[V4:.+]] = graph.reshape %[[V]] : tensor<2x3x1x7x4xf32> to tensor<6x1x7x4xf32>
// CHECK:      %[[A:.+]] = graph.attention %[[Q4]], %[[K4]], %[[V4]] {scale = 1.000000e+00 : f64}
// CHECK-NEXT: graph.reshape %[[A]] : tensor<6x2x5x4xf32> to tensor<2x3x2x5x4xf32>
func.func @broadcast(%q: tensor<2x3x2x5x4xf32>, %k: tensor<2x3x1x7x4xf32>, %v: tensor<2x3x1x7x4xf32>) -> tensor<2x3x2x5x4xf32> {
  %0 = graph.matmul %q, %k {transpose_rhs} : (tensor<2x3x2x5x4xf32>, tensor<2x3x1x7x4xf32>) -> tensor<2x3x2x5x7xf32>
  %1 = graph.softmax %0 axis = 4 : tensor<2x3x2x5x7xf32>
  %2 = graph.matmul %1, %v : (tensor<2x3x2x5x7xf32>, tensor<2x3x1x7x4xf32>) -> tensor<2x3x2x5x4xf32>
  return %2 : tensor<2x3x2x5x4xf32>
}

// -----

// Keys that another batch has too are no shared heads.
// CHECK-LABEL: func.func @batch
// CHECK-NOT: graph.attention
func.func @batch(%q: tensor<2x3x5x4xf32>, %k: tensor<1x3x7x4xf32>, %v: tensor<1x3x7x4xf32>) -> tensor<2x3x5x4xf32> {
  %0 = graph.matmul %q, %k {transpose_rhs} : (tensor<2x3x5x4xf32>, tensor<1x3x7x4xf32>) -> tensor<2x3x5x7xf32>
  %1 = graph.softmax %0 axis = 3 : tensor<2x3x5x7xf32>
  %2 = graph.matmul %1, %v : (tensor<2x3x5x7xf32>, tensor<1x3x7x4xf32>) -> tensor<2x3x5x4xf32>
  return %2 : tensor<2x3x5x4xf32>
}

// -----

// Only keys are repeated: there are no such heads.
// CHECK-LABEL: func.func @keys_alone
// CHECK: graph.broadcast
// CHECK: graph.attention {{.*}} : (tensor<2x6x5x4xf32>, tensor<2x6x7x4xf32>, tensor<2x6x7x4xf32>)
func.func @keys_alone(%q: tensor<2x6x5x4xf32>, %k: tensor<2x3x7x4xf32>, %v: tensor<2x6x7x4xf32>) -> tensor<2x6x5x4xf32> {
  %k1 = graph.reshape %k : tensor<2x3x7x4xf32> to tensor<2x3x1x7x4xf32>
  %k2 = graph.broadcast %k1 : tensor<2x3x1x7x4xf32> to tensor<2x3x2x7x4xf32>
  %k3 = graph.reshape %k2 : tensor<2x3x2x7x4xf32> to tensor<2x6x7x4xf32>
  %0 = graph.matmul %q, %k3 {transpose_rhs} : (tensor<2x6x5x4xf32>, tensor<2x6x7x4xf32>) -> tensor<2x6x5x7xf32>
  %1 = graph.softmax %0 axis = 3 : tensor<2x6x5x7xf32>
  %2 = graph.matmul %1, %v : (tensor<2x6x5x7xf32>, tensor<2x6x7x4xf32>) -> tensor<2x6x5x4xf32>
  return %2 : tensor<2x6x5x4xf32>
}

// -----

// Heads one after another, and again: not successive ones that share a key.
// CHECK-LABEL: func.func @in_turn
// CHECK-COUNT-2: graph.broadcast
// CHECK: graph.attention {{.*}} : (tensor<2x6x5x4xf32>, tensor<2x6x7x4xf32>, tensor<2x6x7x4xf32>)
func.func @in_turn(%q: tensor<2x6x5x4xf32>, %k: tensor<2x3x7x4xf32>, %v: tensor<2x3x7x4xf32>) -> tensor<2x6x5x4xf32> {
  %k1 = graph.reshape %k : tensor<2x3x7x4xf32> to tensor<2x1x3x7x4xf32>
  %k2 = graph.broadcast %k1 : tensor<2x1x3x7x4xf32> to tensor<2x2x3x7x4xf32>
  %k3 = graph.reshape %k2 : tensor<2x2x3x7x4xf32> to tensor<2x6x7x4xf32>
  %v1 = graph.reshape %v : tensor<2x3x7x4xf32> to tensor<2x1x3x7x4xf32>
  %v2 = graph.broadcast %v1 : tensor<2x1x3x7x4xf32> to tensor<2x2x3x7x4xf32>
  %v3 = graph.reshape %v2 : tensor<2x2x3x7x4xf32> to tensor<2x6x7x4xf32>
  %0 = graph.attention %q, %k3, %v3 : (tensor<2x6x5x4xf32>, tensor<2x6x7x4xf32>, tensor<2x6x7x4xf32>) -> tensor<2x6x5x4xf32>
  return %0 : tensor<2x6x5x4xf32>
}

// -----

// A decoder's one query: heads that share a key stand as rows of one head.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: %[[Q:[^:]+]]: {{[^,]+}}, %[[K:[^:]+]]: {{[^,]+}}, %[[V:[^:]+]]: {{[^,]+}}, %[[M:[^:]+]]:
// CHECK-NEXT: %[[A:.+]] = graph.attention %[[Q]], %[[K]], %[[V]] mask %[[M]] : (tensor<2x6x1x4xf32>, tensor<2x3x7x4xf32>, tensor<2x3x7x5xf32>, tensor<2x1x1x7xi1>) -> tensor<2x6x1x5xf32>
// CHECK-NEXT: graph.reshape %[[A]] : tensor<2x6x1x5xf32> to tensor<2x3x2x5xf32>
func.func @rows(%q: tensor<2x6x1x4xf32>, %k: tensor<2x3x7x4xf32>, %v: tensor<2x3x7x5xf32>, %m: tensor<2x1x1x7xi1>) -> tensor<2x3x2x5xf32> {
  %0 = graph.reshape %q : tensor<2x6x1x4xf32> to tensor<2x3x2x4xf32>
  %1 = graph.attention %0, %k, %v mask %m : (tensor<2x3x2x4xf32>, tensor<2x3x7x4xf32>, tensor<2x3x7x5xf32>, tensor<2x1x1x7xi1>) -> tensor<2x3x2x5xf32>
  return %1 : tensor<2x3x2x5xf32>
}

// -----

// Not where rows are places: a mask of each, an order of them, several queries.
// CHECK-LABEL: func.func @places
// CHECK:       graph.attention %{{.+}} mask %{{.+}} -> tensor<2x3x2x4xf32>
// CHECK:       graph.attention %{{.+}} {causal = {{.+}}} : {{.+}} -> tensor<2x3x2x4xf32>
// CHECK:       graph.attention %{{.+}} -> tensor<2x3x4x4xf32>
func.func @places(%q: tensor<2x6x1x4xf32>, %two: tensor<2x6x2x4xf32>, %k: tensor<2x3x7x4xf32>, %m: tensor<2x7xi1>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x4x4xf32>) {
  %0 = graph.reshape %q : tensor<2x6x1x4xf32> to tensor<2x3x2x4xf32>
  %1 = graph.attention %0, %k, %k mask %m : (tensor<2x3x2x4xf32>, tensor<2x3x7x4xf32>, tensor<2x3x7x4xf32>, tensor<2x7xi1>) -> tensor<2x3x2x4xf32>
  %2 = graph.attention %0, %k, %k {causal = #graph.causal<lower_right>} : (tensor<2x3x2x4xf32>, tensor<2x3x7x4xf32>, tensor<2x3x7x4xf32>) -> tensor<2x3x2x4xf32>
  %3 = graph.reshape %two : tensor<2x6x2x4xf32> to tensor<2x3x4x4xf32>
  %4 = graph.attention %3, %k, %k : (tensor<2x3x4x4xf32>, tensor<2x3x7x4xf32>, tensor<2x3x7x4xf32>) -> tensor<2x3x4x4xf32>
  return %1, %2, %4 : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x4x4xf32>
}
