// RUN: minic-opt %s --split-input-file --plan-lower --plan-assign-buffers --plan-order-commands --plan-verify | FileCheck %s

#impl = #kernel.impl<family = "f", schedule = {}>

// Slices are places inside of what they slice: of inputs, of other views, of
// buffers. One that is returned is copied from there.
// CHECK-LABEL: plan.function @slices
func.func @slices(%x: tensor<32x16xf32>) -> (tensor<8x16xf32>, tensor<4x4x16xf32>) {
  // CHECK-DAG: %[[X:.+]] = plan.input 0
  // CHECK-DAG: %[[ROWS:.+]] = plan.view %[[X]] + 640
  // CHECK: plan.launch "relu_8x16_f32" grid [1](%[[ROWS]], %{{.+}})
  // CHECK: plan.launch "exp_32x16_f32" grid [1](%[[X]], %[[EXP:.+]])
  // CHECK: %[[PART:.+]] = plan.view %[[EXP]] + 1024
  // CHECK: plan.copy %{{.+}}, %[[PART]] bytes = 1024
  %0 = graph.slice %x [8, 0] to [24, 16] by [1, 1] : tensor<32x16xf32> -> tensor<16x16xf32>
  %1 = graph.slice %0 [2, 0] to [10, 16] by [1, 1] : tensor<16x16xf32> -> tensor<8x16xf32>
  %2 = kernel.fusion (%x0 = %1 : tensor<8x16xf32>) -> tensor<8x16xf32> attributes {impl = #impl} {
    %3 = graph.relu %x0 : tensor<8x16xf32>
    kernel.yield %3 : tensor<8x16xf32>
  }
  %4 = kernel.fusion (%x0 = %x : tensor<32x16xf32>) -> tensor<32x16xf32> attributes {impl = #impl} {
    %5 = graph.exp %x0 : tensor<32x16xf32>
    kernel.yield %5 : tensor<32x16xf32>
  }
  %6 = graph.reshape %4 : tensor<32x16xf32> to tensor<8x4x16xf32>
  %7 = graph.slice %6 [4, 0, 0] to [8, 4, 16] by [1, 1, 1] : tensor<8x4x16xf32> -> tensor<4x4x16xf32>
  return %2, %7 : tensor<8x16xf32>, tensor<4x4x16xf32>
}

// -----

#impl = #kernel.impl<family = "f", schedule = {}>

// Kernels write their pieces of a concat into its place, also a piece of a
// piece; an input and a piece that is in another place are copied there.
// CHECK-LABEL: plan.function @concats
func.func @concats(%x: tensor<1x16xf32>, %y: tensor<2x16xf32>) -> (tensor<6x16xf32>, tensor<2x16xf32>) {
  // CHECK-DAG: %[[OUT:.+]] = plan.output 0
  // CHECK-DAG: %[[RELU:.+]] = plan.view %[[OUT]] + 64
  // CHECK: plan.launch "relu_2x16_f32" grid [1](%{{.+}}, %[[RELU]])
  // CHECK: plan.launch "exp_2x16_f32" grid [1](%{{.+}}, %[[EXP:[^)]+]])
  // CHECK: %[[X:.+]] = plan.input 0
  // CHECK: %[[SECOND:.+]] = plan.view %[[RELU]] + 128
  // CHECK: plan.copy %[[SECOND]], %[[X]] bytes = 64
  // CHECK: plan.copy %[[OUT]], %[[X]] bytes = 64
  // CHECK: %[[LAST:.+]] = plan.view %[[OUT]] + 256
  // CHECK: plan.copy %[[LAST]], %[[EXP]] bytes = 128
  // CHECK-NOT: plan.copy
  %0 = kernel.fusion (%y0 = %y : tensor<2x16xf32>) -> tensor<2x16xf32> attributes {impl = #impl} {
    %1 = graph.relu %y0 : tensor<2x16xf32>
    kernel.yield %1 : tensor<2x16xf32>
  }
  %2 = kernel.fusion (%y0 = %y : tensor<2x16xf32>) -> tensor<2x16xf32> attributes {impl = #impl} {
    %3 = graph.exp %y0 : tensor<2x16xf32>
    kernel.yield %3 : tensor<2x16xf32>
  }
  %4 = graph.concat %0, %x axis = 0 : (tensor<2x16xf32>, tensor<1x16xf32>) -> tensor<3x16xf32>
  %5 = graph.concat %x, %4, %2 axis = 0 : (tensor<1x16xf32>, tensor<3x16xf32>, tensor<2x16xf32>) -> tensor<6x16xf32>
  return %5, %2 : tensor<6x16xf32>, tensor<2x16xf32>
}
