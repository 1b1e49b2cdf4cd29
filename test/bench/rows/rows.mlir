// What memory limits: one function per problem, each a problem of the rows
// family, but for the last, which gathers rows of a table. On an H200 memory
// limits the first four to about 31, 16, 16 and 16 us. The others have few and long
// rows, which fit in its L2.
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
// CHECK: @logits {{.*}} cluster=8
// CHECK: @long_softmax {{.*}} cluster=8
// CHECK: @long_norm {{.*}} split=
// CHECK: @whole_sum {{.*}} split=
// CHECK: @greatest {{.*}} rows
// CHECK: @channel_means {{.*}} across=4 again split=
// CHECK: @embedding {{.*}} pointwise

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

func.func @logits(%x: tensor<1x50257xf32>) -> tensor<1x50257xf32> {
  %0 = graph.softmax %x axis = 1 : tensor<1x50257xf32>
  return %0 : tensor<1x50257xf32>
}

func.func @long_softmax(%x: tensor<4x262144xbf16>) -> tensor<4x262144xbf16> {
  %0 = graph.softmax %x axis = 1 : tensor<4x262144xbf16>
  return %0 : tensor<4x262144xbf16>
}

func.func @long_norm(%x: tensor<2x1048576xf32>, %w: tensor<1048576xf32>, %b: tensor<1048576xf32>) -> tensor<2x1048576xf32> {
  %0 = graph.layer_norm %x scale %w bias %b axis = 1 : (tensor<2x1048576xf32>, tensor<1048576xf32>, tensor<1048576xf32>) -> tensor<2x1048576xf32>
  return %0 : tensor<2x1048576xf32>
}

func.func @whole_sum(%x: tensor<4194304xf32>) -> tensor<f32> {
  %0 = graph.reduce sum, %x [0] : tensor<4194304xf32> -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @greatest(%x: tensor<1x50257xbf16>) -> tensor<1xi64> {
  %0 = graph.arg_reduce max, %x axis = 1 : tensor<1x50257xbf16> -> tensor<1xi64>
  return %0 : tensor<1xi64>
}

func.func @channel_means(%x: tensor<65536x64xf32>) -> tensor<64xf32> {
  %0 = graph.reduce mean, %x [0] : tensor<65536x64xf32> -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

func.func @embedding(%table: tensor<50257x768xbf16>, %ids: tensor<4096xi64>) -> tensor<4096x768xbf16> {
  %0 = graph.gather %table, %ids axis = 0 : (tensor<50257x768xbf16>, tensor<4096xi64>) -> tensor<4096x768xbf16>
  return %0 : tensor<4096x768xbf16>
}
