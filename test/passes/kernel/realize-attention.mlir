// The stages of attention, which a choice puts in its place. Scores are f32
// between them, weights round once. Constants and reshapes at the border of the
// body are outside of the fusion.
//
// RUN: minic-opt %s --split-input-file --kernel-realize | FileCheck %s

#impl = #kernel.impl<family = "f", schedule = {}>

// CHECK-LABEL: func.func @plain
func.func @plain(%q: tensor<1x2x5x8xbf16>, %k: tensor<1x2x7x8xbf16>, %v: tensor<1x2x7x8xbf16>) -> tensor<1x2x5x8xbf16> {
  // CHECK-DAG: graph.constant dense<0.353553385> : tensor<f32>
  // CHECK-DAG: graph.constant dense<0xFF800000> : tensor<f32>
  // CHECK-DAG: graph.constant dense<0.000000e+00> : tensor<f32>
  // CHECK: kernel.fusion
  // CHECK-NEXT: %[[DOT:.+]] = graph.matmul %{{.+}}, %{{.+}} {transpose_rhs} : (tensor<1x2x5x8xbf16>, tensor<1x2x7x8xbf16>) -> tensor<1x2x5x7xf32>
  // CHECK-NEXT: %[[SCORE:.+]] = graph.mul %[[DOT]], %[[SCALE:[a-z0-9]+]] :
  // CHECK-NEXT: %[[MAX:.+]] = graph.reduce max, %[[SCORE]] [3] {keep_dims}
  // CHECK-NEXT: %[[SHIFTED:.+]] = graph.sub %[[SCORE]], %[[MAX]]
  // CHECK-NEXT: %[[EXP:.+]] = graph.exp %[[SHIFTED]]
  // CHECK-NEXT: %[[SUM:.+]] = graph.reduce sum, %[[EXP]] [3] {keep_dims}
  // CHECK-NEXT: %[[WEIGHT:.+]] = graph.div %[[EXP]], %[[SUM]]
  // CHECK-NEXT: %[[NONE:.+]] = graph.compare eq, %[[SCORE]], %[[LEAST:.+]] :
  // CHECK-NEXT: %[[ONLY:.+]] = graph.select %[[NONE]], %[[ZERO:.+]], %[[WEIGHT]]
  // CHECK-NEXT: %[[ROUNDED:.+]] = graph.cast %[[ONLY]] : tensor<1x2x5x7xf32> to tensor<1x2x5x7xbf16>
  // CHECK-NEXT: graph.matmul %[[ROUNDED]], %{{.+}} : (tensor<1x2x5x7xbf16>, tensor<1x2x7x8xbf16>) -> tensor<1x2x5x8xbf16>
  // CHECK-NEXT: kernel.yield
  %0 = kernel.fusion (%q0 = %q : tensor<1x2x5x8xbf16>, %k0 = %k : tensor<1x2x7x8xbf16>, %v0 = %v : tensor<1x2x7x8xbf16>) -> tensor<1x2x5x8xbf16>
      attributes {choice = #kernel.choice<parts = [
        #kernel.part<ops = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], impl = #impl, operands = [unit, unit, unit, unit, unit, unit]>], expand = [0]>} {
    %1 = graph.attention %q0, %k0, %v0 : (tensor<1x2x5x8xbf16>, tensor<1x2x7x8xbf16>, tensor<1x2x7x8xbf16>) -> tensor<1x2x5x8xbf16>
    kernel.yield %1 : tensor<1x2x5x8xbf16>
  }
  return %0 : tensor<1x2x5x8xbf16>
}

// -----

#impl = #kernel.impl<family = "f", schedule = {}>

// Heads that share a key are rows of one product: a reshape, no copy. In a
// decode step what leaves out keys leaves them out for all rows, so values are
// cleared by it.
//
// CHECK-LABEL: func.func @decode
// CHECK-SAME: %[[Q:.+]]: tensor<1x8x1x4xf32>
func.func @decode(%q: tensor<1x8x1x4xf32>, %k: tensor<1x2x7x4xf32>, %v: tensor<1x2x7x4xf32>, %n: tensor<i64>) -> tensor<1x8x1x4xf32> {
  // CHECK-DAG: %[[KEYS:.+]] = graph.constant dense<{{.*}}[0, 1, 2, 3, 4, 5, 6]{{.*}}> : tensor<1x1x1x7xi32>
  // CHECK-DAG: %[[ROWS:.+]] = graph.reshape %[[Q]] : tensor<1x8x1x4xf32> to tensor<1x2x4x4xf32>
  // CHECK: %[[Y:.+]] = kernel.fusion
  // CHECK: graph.compare lt, %{{.+}}, %{{.+}} : (tensor<1x1x1x7xi32>, tensor<1x1x1x1xi32>)
  // CHECK: %[[SEEN:.+]] = graph.reshape %{{.+}} : tensor<1x1x1x7xi1> to tensor<1x1x7x1xi1>
  // CHECK: graph.select %[[SEEN]], %{{.+}} -> tensor<1x2x7x4xf32>
  // CHECK: graph.matmul %{{.+}} {transpose_rhs} : (tensor<1x2x4x4xf32>, tensor<1x2x7x4xf32>) -> tensor<1x2x4x7xf32>
  // CHECK: graph.matmul %{{.+}} -> tensor<1x2x4x4xf32>
  // CHECK-NEXT: kernel.yield
  // CHECK: graph.reshape %[[Y]] : tensor<1x2x4x4xf32> to tensor<1x8x1x4xf32>
  %0 = kernel.fusion (%q0 = %q : tensor<1x8x1x4xf32>, %k0 = %k : tensor<1x2x7x4xf32>, %v0 = %v : tensor<1x2x7x4xf32>, %n0 = %n : tensor<i64>) -> tensor<1x8x1x4xf32>
      attributes {choice = #kernel.choice<parts = [
        #kernel.part<ops = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16], impl = #impl, operands = [unit, unit, unit, unit, unit, unit, unit, unit, unit, unit]>], expand = [0]>} {
    %1 = graph.attention %q0, %k0, %v0 key_length %n0 : (tensor<1x8x1x4xf32>, tensor<1x2x7x4xf32>, tensor<1x2x7x4xf32>, tensor<i64>) -> tensor<1x8x1x4xf32>
    kernel.yield %1 : tensor<1x8x1x4xf32>
  }
  return %0 : tensor<1x8x1x4xf32>
}
