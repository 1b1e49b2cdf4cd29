// Ops that verify but that no family takes yet end in one line that names them,
// and in no artifact.
//
// RUN: %exit-code 4 minic %s -o %t.minic 2>&1 | FileCheck %s
// RUN: test ! -e %t.minic
// CHECK: unsupported: nothing implements this fusion: {{.*}}graph.top_k

func.func @main(%x: tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xi64>) {
  %0, %1 = graph.top_k max, %x axis = 1 k = 2 : tensor<4x8xf32> -> tensor<4x2xf32>, tensor<4x2xi64>
  return %0, %1 : tensor<4x2xf32>, tensor<4x2xi64>
}
