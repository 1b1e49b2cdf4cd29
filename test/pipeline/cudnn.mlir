// Convolutions for a GPU by cuDNN: as a choice, as a plan, and as the artifact
// that is written and read back.
//
// RUN: minic %s --target=cuda:sm_90a --device-profile=h200 --conv-backends=cudnn --compile-to=select-algorithm | FileCheck %s --check-prefix=SELECT
// RUN: minic %s --target=cuda:sm_90a --device-profile=h200 --conv-backends=cudnn --compile-to=plan | FileCheck %s --check-prefix=PLAN
// RUN: minic %s --target=cuda:sm_90a --device-profile=h200 --conv-backends=cudnn -o %t.minic
// RUN: minic inspect --mlir %t.minic | FileCheck %s --check-prefix=PLAN

// SELECT: ops = [0, 1], impl = #kernel.impl<family = "cudnn_conv", schedule = {compute = "f32", form = "nhwc"
// SELECT-SAME: operands = [unit, #kernel.layout<order = [0, 2, 3, 1], blocks = [], padded = [8, 16, 3, 3]>, unit]
// SELECT: ops = [0, 1, 2], impl = #kernel.impl<family = "cudnn_conv"

// Images stay in their order, filters become what tensor cores read.
// PLAN-DAG: plan.constant @{{.*}} : tensor<8x16x3x3xbf16, #kernel.layout<order = [0, 2, 3, 1]
// PLAN-DAG: plan.constant @{{.*}} : tensor<8x8x3x3xbf16, #kernel.layout<order = [0, 2, 3, 1]
// PLAN-DAG: input = <operand = 0, dtype = bf16, dims = [2, 16, 9, 11], strides = [1584, 99, 11, 1]>, filter = <operand = 1, dtype = bf16, dims = [8, 16, 3, 3], strides = [144, 1, 48, 16]>
// PLAN-DAG: input = <operand = 0, dtype = bf16, dims = [2, 8, 9, 11], strides = [792, 1, 88, 8]>{{.*}} addend = <operand = 3, {{.*}} epilogue [#plan.eltwise<kind = "relu"
// PLAN-NOT: plan.launch

func.func @main(%x: tensor<2x16x9x11xbf16>, %z: tensor<2x9x11x8xbf16>)
    -> (tensor<2x8x9x11xbf16>, tensor<2x9x11x8xbf16>) {
  %w1 = graph.constant dense<0.125> : tensor<8x16x3x3xbf16>
  %b1 = graph.constant dense<0.5> : tensor<8xbf16>
  %0 = graph.conv2d %x, %w1, %b1 {pads = array<i64: 1, 1, 1, 1>}
    : (tensor<2x16x9x11xbf16>, tensor<8x16x3x3xbf16>, tensor<8xbf16>) -> tensor<2x8x9x11xbf16>
  %1 = graph.relu %0 : tensor<2x8x9x11xbf16>
  // A residual block without bias.
  %w2 = graph.constant dense<-0.25> : tensor<8x8x3x3xbf16>
  %2 = graph.conv2d %z, %w2 {layout = "nhwc", pads = array<i64: 1, 1, 1, 1>}
    : (tensor<2x9x11x8xbf16>, tensor<8x8x3x3xbf16>) -> tensor<2x9x11x8xbf16>
  %3 = graph.add %2, %z : (tensor<2x9x11x8xbf16>, tensor<2x9x11x8xbf16>) -> tensor<2x9x11x8xbf16>
  %4 = graph.relu %3 : tensor<2x9x11x8xbf16>
  return %1, %4 : tensor<2x8x9x11xbf16>, tensor<2x9x11x8xbf16>
}
