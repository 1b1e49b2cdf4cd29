// RUN: minic-opt %s --plan-lower | FileCheck %s

#impl = #kernel.impl<family = "f", schedule = {}>

// Two functions have folded the same weight, each for itself: the bytes are
// there once. Another value under the same name stays another constant.
// CHECK-LABEL: plan.function @prefill
// CHECK: plan.constant_address @w.transpose
// CHECK-LABEL: plan.function @decode
// CHECK: plan.constant_address @w.transpose
// CHECK-NEXT: plan.input
// CHECK-LABEL: plan.function @other
// CHECK: plan.constant_address @w.transpose_1
// CHECK: plan.constant @w.transpose : tensor<2xf32> = dense_resource<one>
// CHECK: plan.constant @w.transpose_1 : tensor<2xf32> = dense_resource<other>
// CHECK-NOT: plan.constant
func.func @prefill(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = graph.constant @w.transpose = dense_resource<one> : tensor<2xf32>
  %0 = kernel.fusion (%w0 = %w : tensor<2xf32>, %x0 = %x : tensor<2xf32>) -> tensor<2xf32> attributes {impl = #impl} {
    %1 = graph.add %w0, %x0 : tensor<2xf32>
    kernel.yield %1 : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}
func.func @decode(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = graph.constant @w.transpose = dense_resource<same> : tensor<2xf32>
  %0 = kernel.fusion (%w0 = %w : tensor<2xf32>, %x0 = %x : tensor<2xf32>) -> tensor<2xf32> attributes {impl = #impl} {
    %1 = graph.sub %w0, %x0 : tensor<2xf32>
    kernel.yield %1 : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}
func.func @other(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = graph.constant @w.transpose = dense_resource<other> : tensor<2xf32>
  %0 = kernel.fusion (%w0 = %w : tensor<2xf32>, %x0 = %x : tensor<2xf32>) -> tensor<2xf32> attributes {impl = #impl} {
    %1 = graph.mul %w0, %x0 : tensor<2xf32>
    kernel.yield %1 : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      one: "0x040000000000803F00000040",
      same: "0x040000000000803F00000040",
      other: "0x040000000000803F00000041"
    }
  }
#-}
