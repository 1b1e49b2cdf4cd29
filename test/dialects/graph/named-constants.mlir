// Constants whose bytes come later: rewrites leave them as they are, and one name
// of one type is one constant.
//
// RUN: minic-opt --canonicalize %s | FileCheck %s
// RUN: minic-opt --graph-raise %s | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-COUNT-1: graph.constant @g : tensor<8xf32>
// CHECK-NOT: graph.constant @g
// CHECK: graph.constant @s : tensor<f32>
// CHECK: graph.mul
// CHECK: graph.add
// CHECK: graph.pow
func.func @main(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %g = graph.constant @g : tensor<8xf32>
  %same = graph.constant @g : tensor<8xf32>
  %s = graph.constant @s : tensor<f32>
  %0 = graph.mul %x, %g : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %1 = graph.add %0, %same : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %2 = graph.pow %1, %s : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  return %2 : tensor<2x8xf32>
}
