// Attention whole is nobody's yet: each product is a part with what follows it,
// so scale and mask cost no pass of their own, and the rows between are as few
// kernels as there are for them.
//
// RUN: minic %s --threads=1 --gemm-backends=generated --compile-to=select-algorithm | FileCheck %s --check-prefix=SELECT --implicit-check-not=onednn
// RUN: minic %s --threads=1 --gemm-backends=generated --compile-to=plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=plan.launch

// SELECT: #kernel.choice<parts = [<ops = [0], impl = #kernel.impl<family = "gemm_packed"
// SELECT-SAME: <ops = [3], impl = #kernel.impl<family = "rows"
// SELECT-SAME: expand = [0]>

// PLAN: plan.launch {{.*}} label = "relayout"
// PLAN: plan.launch {{.*}} label = "relayout"
// PLAN: plan.launch {{.*}} label = "gemm_packed
// PLAN: plan.launch {{.*}} label = "pointwise mul_add"
// PLAN: plan.launch {{.*}} label = "rows reduce"
// PLAN: plan.launch {{.*}} label = "pointwise sub_exp"
// PLAN: plan.launch {{.*}} label = "rows reduce"
// PLAN: plan.launch {{.*}} label = "pointwise div_compare_select"
// PLAN: plan.launch {{.*}} label = "gemm_packed
func.func @main(%q: tensor<2x4x32x16xf32>, %k: tensor<2x4x48x16xf32>, %v: tensor<2x4x48x16xf32>, %m: tensor<32x48xf32>) -> tensor<2x4x32x16xf32> {
  %0 = graph.attention %q, %k, %v mask %m : (tensor<2x4x32x16xf32>, tensor<2x4x48x16xf32>, tensor<2x4x48x16xf32>, tensor<32x48xf32>) -> tensor<2x4x32x16xf32>
  return %0 : tensor<2x4x32x16xf32>
}
