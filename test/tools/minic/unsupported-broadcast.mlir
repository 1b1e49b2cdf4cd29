// Ops that say their own types keep them, and end like other unsupported ones.
//
// RUN: %exit-code 4 minic %s -o %t.minic 2>&1 | FileCheck %s
// RUN: test ! -e %t.minic
// CHECK: unsupported: nothing implements this fusion: {{.*}}graph.{{iota|broadcast}}

func.func @main(%x: tensor<8xi64>) -> (tensor<500000xi64>, tensor<4x8xi64>) {
  %0 = graph.iota axis = 0 : tensor<500000xi64>
  %1 = graph.broadcast %x : tensor<8xi64> to tensor<4x8xi64>
  return %0, %1 : tensor<500000xi64>, tensor<4x8xi64>
}
