// Three linears of one input and attention: one product, one kernel that parts
// query, key and value, attention in its stages, and the transpose of its
// result. `plan.launch` appears once per kernel; nothing is copied in between.
//
// RUN: minic %s --threads=1 --gemm-backends=generated --compile-to=simplify | FileCheck %s --check-prefix=SIMPLE
// RUN: minic %s --threads=1 --gemm-backends=generated --merge-linears=never --compile-to=simplify | FileCheck %s --check-prefix=NEVER
// RUN: minic %s --target=cuda --device-profile=h200 --gemm-backends=generated --compile-to=plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=plan.launch
// RUN: minic %s --threads=1 --gemm-backends=generated -o %t.minic && minic-run %t.minic --check
// RUN: minic %s --threads=1 --gemm-backends=aten -o %t.minic && minic-run %t.minic --check

// SIMPLE:     graph.linear
// SIMPLE-NOT: graph.linear
// SIMPLE:     graph.reshape %{{.+}} : tensor<1x24x72xf32> to tensor<1x24x9x8xf32>
// SIMPLE-COUNT-3: graph.slice

// NEVER-COUNT-3: graph.linear

// PLAN: plan.launch {{.*}} label = "gemm
// PLAN: plan.launch {{.*}} label = "pointwise slice_
// PLAN: plan.launch {{.*}} label = "relayout"
// PLAN: plan.launch {{.*}} label = "gemm
// PLAN: plan.launch {{.*}} label = "rows
// PLAN: plan.launch {{.*}} label = "gemm
// PLAN: plan.launch {{.*}} label = "pointwise transpose
func.func @main(%x: tensor<1x24x16xf32>) -> tensor<1x24x24xf32> {
  %wq = graph.constant dense<0.25> : tensor<24x16xf32>
  %wk = graph.constant dense<0.5> : tensor<24x16xf32>
  %wv = graph.constant dense<0.125> : tensor<24x16xf32>
  %bias = graph.constant dense<1.0> : tensor<24xf32>
  %0 = graph.linear %x, %wq, %bias : (tensor<1x24x16xf32>, tensor<24x16xf32>, tensor<24xf32>) -> tensor<1x24x24xf32>
  %1 = graph.linear %x, %wk : (tensor<1x24x16xf32>, tensor<24x16xf32>) -> tensor<1x24x24xf32>
  %2 = graph.linear %x, %wv : (tensor<1x24x16xf32>, tensor<24x16xf32>) -> tensor<1x24x24xf32>
  %3 = graph.reshape %0 : tensor<1x24x24xf32> to tensor<1x24x3x8xf32>
  %4 = graph.reshape %1 : tensor<1x24x24xf32> to tensor<1x24x3x8xf32>
  %5 = graph.reshape %2 : tensor<1x24x24xf32> to tensor<1x24x3x8xf32>
  %6 = graph.transpose %3 [0, 2, 1, 3] : tensor<1x24x3x8xf32> -> tensor<1x3x24x8xf32>
  %7 = graph.transpose %4 [0, 2, 1, 3] : tensor<1x24x3x8xf32> -> tensor<1x3x24x8xf32>
  %8 = graph.transpose %5 [0, 2, 1, 3] : tensor<1x24x3x8xf32> -> tensor<1x3x24x8xf32>
  %9 = graph.attention %6, %7, %8 : (tensor<1x3x24x8xf32>, tensor<1x3x24x8xf32>, tensor<1x3x24x8xf32>) -> tensor<1x3x24x8xf32>
  %10 = graph.transpose %9 [0, 2, 1, 3] : tensor<1x3x24x8xf32> -> tensor<1x24x3x8xf32>
  %11 = graph.reshape %10 : tensor<1x24x3x8xf32> to tensor<1x24x24xf32>
  return %11 : tensor<1x24x24xf32>
}
