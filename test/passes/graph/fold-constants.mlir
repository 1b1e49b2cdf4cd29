// RUN: minic-opt %s --split-input-file --graph-fold-constants=max-growth-bytes=64 | FileCheck %s

// A transpose and a reshape of a constant move its elements.
// CHECK-LABEL: func.func @moves
func.func @moves() -> (tensor<3x2xf32>, tensor<6xi64>, tensor<2x2x2xbf16>) {
  // CHECK-DAG: graph.constant dense<{{\[\[}}1.000000e+00, 4.000000e+00], [2.000000e+00, 5.000000e+00], [3.000000e+00, 6.000000e+00]]> : tensor<3x2xf32>
  // CHECK-DAG: graph.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi64>
  // CHECK-DAG: graph.constant dense<{{\[\[\[}}1.000000e+00, 3.000000e+00], [5.000000e+00, 7.000000e+00]], {{\[\[}}2.000000e+00, 4.000000e+00], [6.000000e+00, 8.000000e+00]]]> : tensor<2x2x2xbf16>
  // CHECK-NEXT: return
  %a = graph.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %b = graph.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  %c = graph.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]> : tensor<2x2x2xbf16>
  %0 = graph.transpose %a [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  %1 = graph.reshape %b : tensor<2x3xi64> to tensor<6xi64>
  %2 = graph.transpose %c [2, 0, 1] : tensor<2x2x2xbf16> -> tensor<2x2x2xbf16>
  return %0, %1, %2 : tensor<3x2xf32>, tensor<6xi64>, tensor<2x2x2xbf16>
}

// -----

// Weights are resources, whose bytes stay where they are until the artifact is
// written: their names stay readable, and the one that two ops share stays
// beside the folded one.
// CHECK-LABEL: func.func @resource
func.func @resource(%x: tensor<4x2xf32>) -> (tensor<4x3xf32>, tensor<2x3xf32>) {
  // CHECK: %[[W:.+]] = graph.constant @w = dense_resource<w> : tensor<2x3xf32>
  // CHECK: %[[WT:.+]] = graph.constant @w.transpose = #graph.transposed<dense_resource<w> : tensor<2x3xf32>, [1, 0]> : tensor<3x2xf32>
  // CHECK: graph.linear %{{.+}}, %[[WT]]
  // CHECK: return %{{.+}}, %[[W]]
  %w = graph.constant @w = dense_resource<w> : tensor<2x3xf32>
  %0 = graph.transpose %w [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  %1 = graph.linear %x, %0 : (tensor<4x2xf32>, tensor<3x2xf32>) -> tensor<4x3xf32>
  return %1, %w : tensor<4x3xf32>, tensor<2x3xf32>
}
// The only bytes are 1.0 to 6.0.
// CHECK:     w: "0x
// CHECK-NOT: transpose: "0x
{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000803F0000004000004040000080400000A0400000C040"
    }
  }
#-}

// -----

// What was moved is moved again: transposed twice it is what it was, or one
// transpose of it; under another shape it still lies where it did.
// CHECK-LABEL: func.func @moved_again
func.func @moved_again() -> (tensor<1x2x3xf32>, tensor<3x2x1xf32>, tensor<4x3xf32>, tensor<6xf32>) {
  // CHECK-DAG: %[[BACK:.+]] = graph.constant @w.transpose.transpose = dense_resource<w> : tensor<1x2x3xf32>
  // CHECK-DAG: %[[ONCE:.+]] = graph.constant @w.transpose.transpose = #graph.transposed<dense_resource<w> : tensor<1x2x3xf32>, [2, 1, 0]> : tensor<3x2x1xf32>
  // CHECK-DAG: %[[BOTH:.+]] = graph.constant @v.concat = #graph.concatenated<[dense_resource<v> : tensor<2x3xf32>, dense<0.000000e+00> : tensor<2x3xf32>], 0> : tensor<4x3xf32>
  // CHECK-DAG: %[[FLAT:.+]] = graph.constant @w.transpose.reshape = #graph.reshaped<#graph.transposed<dense_resource<w> : tensor<1x2x3xf32>, [0, 2, 1]> : tensor<1x3x2xf32>> : tensor<6xf32>
  // CHECK: return %[[BACK]], %[[ONCE]], %[[BOTH]], %[[FLAT]]
  %w = graph.constant @w = dense_resource<w> : tensor<1x2x3xf32>
  %v = graph.constant @v = dense_resource<v> : tensor<2x3xf32>
  %zero = graph.constant dense<0.0> : tensor<2x3xf32>
  %0 = graph.transpose %w [1, 2, 0] : tensor<1x2x3xf32> -> tensor<2x3x1xf32>
  %1 = graph.transpose %0 [2, 0, 1] : tensor<2x3x1xf32> -> tensor<1x2x3xf32>
  %2 = graph.transpose %0 [1, 0, 2] : tensor<2x3x1xf32> -> tensor<3x2x1xf32>
  %3 = graph.concat %v, %zero axis = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %4 = graph.transpose %w [0, 2, 1] : tensor<1x2x3xf32> -> tensor<1x3x2xf32>
  %5 = graph.reshape %4 : tensor<1x3x2xf32> to tensor<6xf32>
  return %1, %2, %3, %5 : tensor<1x2x3xf32>, tensor<3x2x1xf32>, tensor<4x3xf32>, tensor<6xf32>
}
{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000803F0000004000004040000080400000A0400000C040",
      v: "0x040000000000803F0000004000004040000080400000A0400000C040"
    }
  }
#-}

// -----

// Without bytes there is nothing to fold; arithmetic needs an evaluator.
// CHECK-LABEL: func.func @left
func.func @left() -> (tensor<3x2xf32>, tensor<2xf32>) {
  // CHECK: graph.transpose
  // CHECK: graph.exp
  %w = graph.constant @w : tensor<2x3xf32>
  %0 = graph.transpose %w [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  %c = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = graph.exp %c : tensor<2xf32>
  return %0, %1 : tensor<3x2xf32>, tensor<2xf32>
}
