// What memory limits: one function per problem, each a problem of the rows
// family. On a GPU, limits by memory are about 31, 16, 16 and 16 us on an H200.
//
//   minic rows.mlir --target=cuda --mode=max-autotune -o rows.minic
//   minic-bench rows.minic --function=softmax
//   minic-run rows.minic --function=softmax --check
//
// RUN: minic %s --target=cuda:sm_90a --device-profile=h200 -o %t.minic 2>&1 | FileCheck %s
// CHECK: @softmax {{.*}} rows 256x1 8x2
// CHECK: @layer_norm {{.*}} rows 256x1 8x2
// CHECK: @rms_norm {{.*}} rows 256x1 8x2
// CHECK: @row_sums {{.*}} rows 256x1 8x2

func.func @softmax(%x: tensor<8192x4096xbf16>) -> tensor<8192x4096xbf16> {
  %0 = graph.softmax %x axis = 1 : tensor<8192x4096xbf16>
  return %0 : tensor<8192x4096xbf16>
}

func.func @layer_norm(%x: tensor<4096x4096xbf16>, %w: tensor<4096xbf16>, %b: tensor<4096xbf16>) -> tensor<4096x4096xbf16> {
  %0 = graph.layer_norm %x scale %w bias %b axis = 1 : (tensor<4096x4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>) -> tensor<4096x4096xbf16>
  return %0 : tensor<4096x4096xbf16>
}

func.func @rms_norm(%x: tensor<4096x4096xbf16>, %w: tensor<4096xbf16>) -> tensor<4096x4096xbf16> {
  %0 = graph.rms_norm %x scale %w axis = 1 : (tensor<4096x4096xbf16>, tensor<4096xbf16>) -> tensor<4096x4096xbf16>
  return %0 : tensor<4096x4096xbf16>
}

func.func @row_sums(%x: tensor<8192x4096xbf16>) -> tensor<8192xbf16> {
  %0 = graph.reduce sum, %x [1] : tensor<8192x4096xbf16> -> tensor<8192xbf16>
  return %0 : tensor<8192xbf16>
}
