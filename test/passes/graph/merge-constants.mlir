// RUN: minic-opt %s --split-input-file --graph-merge-constants | FileCheck %s

// Two layers whose exporter stored a bias for each. The first name stays.
// CHECK-LABEL: func.func @biases
// CHECK-NEXT:  %[[B:.+]] = graph.constant @first = dense_resource<first> : tensor<2xf32>
// CHECK-NEXT:  graph.add %{{.+}}, %[[B]]
// CHECK-NEXT:  graph.add %{{.+}}, %[[B]]
func.func @biases(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %first = graph.constant @first = dense_resource<first> : tensor<2xf32>
  %0 = graph.add %x, %first : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %second = graph.constant @second = dense_resource<second> : tensor<2xf32>
  %1 = graph.add %0, %second : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}
{-#
  dialect_resources: {
    builtin: {
      first: "0x040000000000803F00000040",
      second: "0x040000000000803F00000040"
    }
  }
#-}

// -----

// Not of another type, not where a byte differs, not without bytes, no matrices.
// CHECK-LABEL: func.func @others
// CHECK-DAG:   graph.constant @a = dense_resource<a> : tensor<2xf32>
// CHECK-DAG:   graph.constant @b = dense_resource<b> : tensor<2x1xf32>
// CHECK-DAG:   graph.constant @c = dense_resource<c> : tensor<2xf32>
// CHECK-DAG:   graph.constant @d = dense_resource<d> : tensor<2xi32>
// CHECK-DAG:   graph.constant @e : tensor<2xf32>
// CHECK-DAG:   graph.constant @f : tensor<2xf32>
// CHECK-DAG:   graph.constant @g = dense_resource<g> : tensor<2x2xf32>
// CHECK-DAG:   graph.constant @h = dense_resource<h> : tensor<2x2xf32>
func.func @others() -> (tensor<2xf32>, tensor<2x1xf32>, tensor<2xf32>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %a = graph.constant @a = dense_resource<a> : tensor<2xf32>
  %b = graph.constant @b = dense_resource<b> : tensor<2x1xf32>
  %c = graph.constant @c = dense_resource<c> : tensor<2xf32>
  %d = graph.constant @d = dense_resource<d> : tensor<2xi32>
  %e = graph.constant @e : tensor<2xf32>
  %f = graph.constant @f : tensor<2xf32>
  %g = graph.constant @g = dense_resource<g> : tensor<2x2xf32>
  %h = graph.constant @h = dense_resource<h> : tensor<2x2xf32>
  return %a, %b, %c, %d, %e, %f, %g, %h : tensor<2xf32>, tensor<2x1xf32>, tensor<2xf32>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}
{-#
  dialect_resources: {
    builtin: {
      a: "0x040000000000803F00000040",
      b: "0x040000000000803F00000040",
      c: "0x040000000000803F00000041",
      d: "0x040000000000803F00000040",
      g: "0x0400000000000000000000000000000000000000",
      h: "0x0400000000000000000000000000000000000000"
    }
  }
#-}
