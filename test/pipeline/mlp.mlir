// Two layers through every phase: what each of them is there for.
//
// RUN: minic %s --compile-to=import | FileCheck %s --check-prefix=IMPORT
// RUN: minic %s --compile-to=simplify | FileCheck %s --check-prefix=SIMPLIFY
// RUN: minic %s --compile-to=fuse | FileCheck %s --check-prefix=FUSE
// RUN: minic %s --gemm-backends=generated --compile-to=select-algorithm | FileCheck %s --check-prefix=SELECT
// RUN: minic %s --gemm-backends=generated --compile-to=realize | FileCheck %s --check-prefix=REALIZE
// RUN: minic %s --gemm-backends=generated --compile-to=prepare-weights | FileCheck %s --check-prefix=WEIGHTS
// RUN: minic %s --gemm-backends=generated --compile-to=plan | FileCheck %s --check-prefix=PLAN
// RUN: minic %s --gemm-backends=generated --compile-to=codegen | FileCheck %s --check-prefix=CODEGEN

// Arguments keep the names they have here.
// IMPORT: func.func @main(%{{.*}}: tensor<5x32xf32> {graph.name = "x"})
// IMPORT: graph.transpose

// The transposed constant is a constant.
// SIMPLIFY-NOT: graph.transpose
// SIMPLIFY-COUNT-2: graph.linear

// FUSE: kernel.fusion
// FUSE-NEXT: graph.linear
// FUSE-NEXT: graph.gelu
// FUSE: kernel.fusion
// FUSE-NEXT: graph.linear
// FUSE-NEXT: graph.add

// SELECT-COUNT-2: choice = #kernel.choice<parts = [<ops = [0, 1], impl = #kernel.impl<family = "gemm_packed"

// Weights go through relayouts, which fold into their types.
// REALIZE-COUNT-2: kernel.relayout
// WEIGHTS-NOT: kernel.relayout
// WEIGHTS: graph.constant {{.*}}#kernel.layout<

// PLAN: plan.function @main
// PLAN: plan.variant "cpu"
// PLAN-COUNT-2: plan.launch
// PLAN: plan.kernel

// CODEGEN-NOT: plan.kernel
// CODEGEN: plan.binary

func.func @main(%x: tensor<5x32xf32>) -> tensor<5x32xf32> {
  %w1 = graph.constant dense<0.125> : tensor<32x64xf32>
  %w2 = graph.constant dense<-0.25> : tensor<32x64xf32>
  %t = graph.transpose %w1 [1, 0] : tensor<32x64xf32> -> tensor<64x32xf32>
  %0 = graph.linear %x, %t : (tensor<5x32xf32>, tensor<64x32xf32>) -> tensor<5x64xf32>
  %1 = graph.gelu %0 : tensor<5x64xf32>
  %2 = graph.linear %1, %w2 : (tensor<5x64xf32>, tensor<32x64xf32>) -> tensor<5x32xf32>
  %3 = graph.add %2, %x : (tensor<5x32xf32>, tensor<5x32xf32>) -> tensor<5x32xf32>
  return %3 : tensor<5x32xf32>
}
