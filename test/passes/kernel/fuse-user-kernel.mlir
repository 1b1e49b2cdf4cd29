// Where kernels of the user's are fused.
//
// RUN: minic-opt %s --pass-pipeline='builtin.module(func.func(kernel-fuse))' | FileCheck %s

// One that stands for a pointwise pass joins the anchor, as its reference would.
// CHECK-LABEL: func.func @epilogue
// CHECK: kernel.fusion
// CHECK: graph.linear
// CHECK: graph.kernel @k
// CHECK: graph.add
// CHECK-NOT: kernel.fusion
// CHECK: return
func.func @epilogue(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>, %y: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = graph.linear %x, %w : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  %1 = graph.kernel @k(%0) {language = "c", sources = [""], entry = "k"}
      : (tensor<4x16xf32>) -> tensor<4x16xf32> body {
  ^bb0(%a: tensor<4x16xf32>):
    %2 = graph.relu %a : tensor<4x16xf32>
    graph.yield %2 : tensor<4x16xf32>
  }
  %3 = graph.add %1, %y : tensor<4x16xf32>
  return %3 : tensor<4x16xf32>
}

// Two never share a fusion.
// CHECK-LABEL: func.func @two
// CHECK: kernel.fusion
// CHECK: graph.kernel @k
// CHECK: kernel.yield
// CHECK: kernel.fusion
// CHECK: graph.kernel @k
// CHECK: kernel.yield
func.func @two(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k"}
      : (tensor<4xf32>) -> tensor<4xf32> body {
  ^bb0(%a: tensor<4xf32>):
    %2 = graph.relu %a : tensor<4xf32>
    graph.yield %2 : tensor<4xf32>
  }
  %1 = graph.kernel @k(%0) {language = "c", sources = [""], entry = "k"}
      : (tensor<4xf32>) -> tensor<4xf32> body {
  ^bb0(%a: tensor<4xf32>):
    %2 = graph.relu %a : tensor<4xf32>
    graph.yield %2 : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}

// Any other one takes what follows it, and not what makes its operands.
// CHECK-LABEL: func.func @softmax
// CHECK: kernel.fusion
// CHECK: graph.exp
// CHECK: kernel.yield
// CHECK: kernel.fusion
// CHECK: graph.kernel @k
// CHECK: graph.relu
// CHECK: kernel.yield
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.exp %x : tensor<4x8xf32>
  %1 = graph.kernel @k(%0) {language = "c", sources = [""], entry = "k"}
      : (tensor<4x8xf32>) -> tensor<4x8xf32> body {
  ^bb0(%a: tensor<4x8xf32>):
    %2 = graph.softmax %a axis = 1 : tensor<4x8xf32>
    graph.yield %2 : tensor<4x8xf32>
  }
  %3 = graph.relu %1 : tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// One with several results is alone.
// CHECK-LABEL: func.func @several
// CHECK: kernel.fusion
// CHECK-NEXT: graph.kernel @k
// CHECK: kernel.yield
// CHECK: kernel.fusion
// CHECK-NEXT: graph.add
func.func @several(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k"}
      : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) body {
  ^bb0(%a: tensor<4xf32>):
    %2 = graph.relu %a : tensor<4xf32>
    %3 = graph.neg %a : tensor<4xf32>
    graph.yield %2, %3 : tensor<4xf32>, tensor<4xf32>
  }
  %1 = graph.add %0#0, %0#1 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
