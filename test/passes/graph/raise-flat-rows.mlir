// RUN: minic-opt %s --split-input-file --graph-raise --canonicalize | FileCheck %s

// As GPT-2's products are exported: a matrix of all rows, and back.
// CHECK-LABEL: func.func @flat
// CHECK-SAME: %[[X:[^:]+]]: tensor<2x3x4xf32>
// CHECK-NEXT: %[[Y:.+]] = graph.linear %[[X]], %{{.+}}, %{{.+}} -> tensor<2x3x5xf32>
// CHECK-NEXT: %[[Z:.+]] = graph.gelu %[[Y]]
// CHECK-NEXT: return %[[Z]]
func.func @flat(%x: tensor<2x3x4xf32>, %w: tensor<5x4xf32>, %b: tensor<5xf32>) -> tensor<2x3x5xf32> {
  %0 = graph.reshape %x : tensor<2x3x4xf32> to tensor<6x4xf32>
  %1 = graph.linear %0, %w, %b : (tensor<6x4xf32>, tensor<5x4xf32>, tensor<5xf32>) -> tensor<6x5xf32>
  %2 = graph.reshape %1 : tensor<6x5xf32> to tensor<2x3x5xf32>
  %3 = graph.gelu %2 : tensor<2x3x5xf32>
  return %3 : tensor<2x3x5xf32>
}

// -----

// Heads are made of the columns: the rows are those in front.
// CHECK-LABEL: func.func @heads
// CHECK-SAME: %[[X:[^:]+]]: tensor<2x3x4xf32>
// CHECK-NEXT: %[[Y:.+]] = graph.linear %[[X]], %{{.+}} -> tensor<2x3x6xf32>
// CHECK-NEXT: graph.reshape %[[Y]] : tensor<2x3x6xf32> to tensor<2x3x2x3xf32>
func.func @heads(%x: tensor<2x3x4xf32>, %w: tensor<6x4xf32>) -> tensor<2x3x2x3xf32> {
  %0 = graph.reshape %x : tensor<2x3x4xf32> to tensor<6x4xf32>
  %1 = graph.linear %0, %w : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x6xf32>
  %2 = graph.reshape %1 : tensor<6x6xf32> to tensor<2x3x2x3xf32>
  return %2 : tensor<2x3x2x3xf32>
}

// -----

// Columns are made of heads: the rows are those behind.
// CHECK-LABEL: func.func @of_heads
// CHECK-NEXT: %[[X:.+]] = graph.reshape %{{.+}} : tensor<2x3x2x2xf32> to tensor<2x3x4xf32>
// CHECK-NEXT: %[[Y:.+]] = graph.linear %[[X]], %{{.+}} -> tensor<2x3x5xf32>
// CHECK-NEXT: return %[[Y]]
func.func @of_heads(%x: tensor<2x3x2x2xf32>, %w: tensor<5x4xf32>) -> tensor<2x3x5xf32> {
  %0 = graph.reshape %x : tensor<2x3x2x2xf32> to tensor<6x4xf32>
  %1 = graph.linear %0, %w : (tensor<6x4xf32>, tensor<5x4xf32>) -> tensor<6x5xf32>
  %2 = graph.reshape %1 : tensor<6x5xf32> to tensor<2x3x5xf32>
  return %2 : tensor<2x3x5xf32>
}

// -----

// A matrix that somebody reads as it is, and columns that change on both sides.
// CHECK-LABEL: func.func @others
// CHECK:      graph.linear {{.*}} -> tensor<6x5xf32>
// CHECK:      graph.linear {{.*}} -> tensor<6x6xf32>
func.func @others(%x: tensor<2x3x4xf32>, %y: tensor<2x3x2x2xf32>, %w: tensor<5x4xf32>, %v: tensor<6x4xf32>)
    -> (tensor<6x5xf32>, tensor<2x3x5xf32>, tensor<2x3x2x3xf32>) {
  %0 = graph.reshape %x : tensor<2x3x4xf32> to tensor<6x4xf32>
  %1 = graph.linear %0, %w : (tensor<6x4xf32>, tensor<5x4xf32>) -> tensor<6x5xf32>
  %2 = graph.reshape %1 : tensor<6x5xf32> to tensor<2x3x5xf32>
  %3 = graph.reshape %y : tensor<2x3x2x2xf32> to tensor<6x4xf32>
  %4 = graph.linear %3, %v : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x6xf32>
  %5 = graph.reshape %4 : tensor<6x6xf32> to tensor<2x3x2x3xf32>
  return %1, %2, %5 : tensor<6x5xf32>, tensor<2x3x5xf32>, tensor<2x3x2x3xf32>
}

// -----

// Norms of flattened rows, with what Keras multiplies behind them.
// CHECK-LABEL: func.func @norms
// CHECK-SAME: %[[X:[^:]+]]: tensor<2x3x4xf32>, %[[W:[^:]+]]: tensor<4xf32>
// CHECK-NEXT: %[[Y:.+]] = graph.layer_norm %[[X]] scale %[[W]] axis = 2
// CHECK-NEXT: %[[Z:.+]] = graph.rms_norm %[[X]] axis = 2
// CHECK-NEXT: return %[[Y]], %[[Z]]
func.func @norms(%x: tensor<2x3x4xf32>, %w: tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
  %0 = graph.reshape %x : tensor<2x3x4xf32> to tensor<6x4xf32>
  %1 = graph.layer_norm %0 axis = 1 : (tensor<6x4xf32>) -> tensor<6x4xf32>
  %2 = graph.reshape %1 : tensor<6x4xf32> to tensor<2x3x4xf32>
  %3 = graph.mul %2, %w : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %4 = graph.rms_norm %0 axis = 1 : (tensor<6x4xf32>) -> tensor<6x4xf32>
  %5 = graph.reshape %4 : tensor<6x4xf32> to tensor<2x3x4xf32>
  return %3, %5 : tensor<2x3x4xf32>, tensor<2x3x4xf32>
}

// -----

// Rows of other lengths than before, and norms over more than the last dimension.
// CHECK-LABEL: func.func @other_norms
// CHECK: graph.layer_norm %{{.+}} axis = 1 : (tensor<4x6xf32>)
// CHECK: graph.layer_norm %{{.+}} axis = 0 : (tensor<6x4xf32>)
func.func @other_norms(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
  %0 = graph.reshape %x : tensor<2x3x4xf32> to tensor<4x6xf32>
  %1 = graph.layer_norm %0 axis = 1 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = graph.reshape %1 : tensor<4x6xf32> to tensor<2x3x4xf32>
  %3 = graph.reshape %x : tensor<2x3x4xf32> to tensor<6x4xf32>
  %4 = graph.layer_norm %3 axis = 0 : (tensor<6x4xf32>) -> tensor<6x4xf32>
  %5 = graph.reshape %4 : tensor<6x4xf32> to tensor<2x3x4xf32>
  return %2, %5 : tensor<2x3x4xf32>, tensor<2x3x4xf32>
}
