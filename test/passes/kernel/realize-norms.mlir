// The stages of norms, which a choice puts in their place: f32 between them,
// one rounding at the end, and no constant.
//
// RUN: minic-opt %s --split-input-file --kernel-realize | FileCheck %s --implicit-check-not=graph.constant

#impl = #kernel.impl<family = "f", schedule = {}>

// CHECK-LABEL: func.func @layer_norm
func.func @layer_norm(%x: tensor<4x8xbf16>, %w: tensor<8xbf16>) -> tensor<4x8xbf16> {
  // CHECK: kernel.fusion (%[[X:.+]] = %{{.+}} : tensor<4x8xbf16>, %[[W:.+]] = %{{.+}} : tensor<8xbf16>)
  // CHECK-NEXT: %[[WIDE:.+]] = graph.cast %[[X]]
  // CHECK-NEXT: %[[MEAN:.+]] = graph.reduce mean, %[[WIDE]] [1] {keep_dims}
  // CHECK-NEXT: %[[CENTRED:.+]] = graph.sub %[[WIDE]], %[[MEAN]]
  // CHECK-NEXT: %[[SQUARE:.+]] = graph.mul %[[CENTRED]], %[[CENTRED]]
  // CHECK-NEXT: %[[VARIANCE:.+]] = graph.reduce mean, %[[SQUARE]] [1] {keep_dims}
  // CHECK-NEXT: %[[FACTOR:.+]] = graph.rsqrt %[[VARIANCE]] {epsilon = 1.000000e-05 : f64}
  // CHECK-NEXT: %[[NORMAL:.+]] = graph.mul %[[CENTRED]], %[[FACTOR]]
  // CHECK-NEXT: %[[SCALE:.+]] = graph.cast %[[W]]
  // CHECK-NEXT: %[[SCALED:.+]] = graph.mul %[[NORMAL]], %[[SCALE]]
  // CHECK-NEXT: graph.cast %[[SCALED]] : tensor<4x8xf32> to tensor<4x8xbf16>
  // CHECK-NEXT: kernel.yield
  %0 = kernel.fusion (%x0 = %x : tensor<4x8xbf16>, %w0 = %w : tensor<8xbf16>) -> tensor<4x8xbf16>
      attributes {choice = #kernel.choice<parts = [
        #kernel.part<ops = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], impl = #impl, operands = [unit, unit]>], expand = [0]>} {
    %1 = graph.layer_norm %x0 scale %w0 axis = 1 : (tensor<4x8xbf16>, tensor<8xbf16>) -> tensor<4x8xbf16>
    kernel.yield %1 : tensor<4x8xbf16>
  }
  return %0 : tensor<4x8xbf16>
}

// -----

#impl = #kernel.impl<family = "f", schedule = {}>

// CHECK-LABEL: func.func @group_norm
func.func @group_norm(%x: tensor<2x6x5xf32>, %b: tensor<6xf32>) -> tensor<2x6x5xf32> {
  // Reshapes at the border of the body are no work for a kernel.
  // CHECK: %[[X:.+]] = graph.reshape %{{.+}} : tensor<2x6x5xf32> to tensor<2x3x2x5xf32>
  // CHECK-NEXT: %[[B:.+]] = graph.reshape %{{.+}} : tensor<6xf32> to tensor<3x2x1xf32>
  // CHECK-NEXT: %[[Y:.+]] = kernel.fusion (%{{.+}} = %[[X]] : tensor<2x3x2x5xf32>, %{{.+}} = %[[B]] : tensor<3x2x1xf32>)
  // CHECK-NEXT: graph.reduce mean, %{{.+}} [2, 3] {keep_dims}
  // CHECK: graph.add
  // CHECK-NEXT: kernel.yield
  // CHECK: graph.reshape %[[Y]] : tensor<2x3x2x5xf32> to tensor<2x6x5xf32>
  %0 = kernel.fusion (%x0 = %x : tensor<2x6x5xf32>, %b0 = %b : tensor<6xf32>) -> tensor<2x6x5xf32>
      attributes {choice = #kernel.choice<parts = [
        #kernel.part<ops = [0, 1, 2, 3, 4, 5, 6], impl = #impl, operands = [unit, unit]>], expand = [0]>} {
    %1 = graph.group_norm %x0 bias %b0 groups = 3 : (tensor<2x6x5xf32>, tensor<6xf32>) -> tensor<2x6x5xf32>
    kernel.yield %1 : tensor<2x6x5xf32>
  }
  return %0 : tensor<2x6x5xf32>
}
