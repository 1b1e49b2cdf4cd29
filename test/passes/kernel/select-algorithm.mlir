// RUN: minic-opt %s --kernel-select-algorithm=choices=%S/inputs/choices.mlir | FileCheck %s

// The choice of the fusion's label is taken, with where it came from.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>) -> (tensor<4x16xf32>, tensor<4x8xf32>) {
  // CHECK: kernel.fusion {{.*}} attributes {
  // CHECK-SAME: choice = #kernel.choice<parts = [<ops = [0, 1], impl = #kernel.impl<family = "packed"
  // CHECK-SAME: provenance = {origin = "fixture"
  %0 = kernel.fusion (%x0 = %x : tensor<4x8xf32>, %w0 = %w : tensor<16x8xf32>) -> tensor<4x16xf32> {
    %1 = graph.linear %x0, %w0 : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
    %2 = graph.relu %1 : tensor<4x16xf32>
    kernel.yield %2 : tensor<4x16xf32>
  }
  // What already has an implementation is not asked for again.
  // CHECK: kernel.fusion {{.*}} attributes {impl = #kernel.impl<family = "kept", schedule = {}>} {
  %3 = kernel.fusion (%x0 = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {impl = #kernel.impl<family = "kept", schedule = {}>} {
    %4 = graph.exp %x0 : tensor<4x8xf32>
    kernel.yield %4 : tensor<4x8xf32>
  }
  return %0, %3 : tensor<4x16xf32>, tensor<4x8xf32>
}
