// A target on which no family and no library is about reductions says so.
//
// RUN: %exit-code 4 minic %s --target=cuda:sm_90a --device-profile=h200 -o %t.minic 2>&1 | FileCheck %s
// RUN: test ! -e %t.minic
// CHECK: unsupported: nothing implements this fusion: cuda has no kernel for graph.softmax

func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.softmax %x axis = 1 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
