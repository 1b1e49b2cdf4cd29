// Attention is one kernel on a CPU, with its mask, where nothing else is asked of
// it. Without its result, for the logarithm alone, it is its stages: the product
// is a part with what follows it, and the rows are one kernel.
//
// RUN: minic %s --threads=1 --gemm-backends=generated --compile-to=select-algorithm | FileCheck %s --check-prefix=SELECT
// RUN: minic %s --threads=1 --gemm-backends=generated --compile-to=plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=plan.launch

// SELECT-LABEL: func.func @main
// SELECT: #kernel.choice<parts = [<ops = [0], impl = #kernel.impl<family = "attention", schedule = {keys = 48 : i64
// SELECT-LABEL: func.func @logarithm
// SELECT: #kernel.choice<parts = [<ops = [{{[0-9, ]+}}], impl = #kernel.impl<family = "gemm_packed"
// SELECT-SAME: impl = #kernel.impl<family = "rows"
// SELECT-SAME: expand = [0]>

// PLAN-LABEL: plan.function @main
// PLAN: plan.launch {{.*}} label = "attention {{[0-9]+x[0-9]+}} keys=48"
func.func @main(%q: tensor<2x4x32x16xf32>, %k: tensor<2x4x48x16xf32>, %v: tensor<2x4x48x16xf32>, %m: tensor<32x48xf32>) -> tensor<2x4x32x16xf32> {
  %0 = graph.attention %q, %k, %v mask %m : (tensor<2x4x32x16xf32>, tensor<2x4x48x16xf32>, tensor<2x4x48x16xf32>, tensor<32x48xf32>) -> tensor<2x4x32x16xf32>
  return %0 : tensor<2x4x32x16xf32>
}

// PLAN-LABEL: plan.function @logarithm
// PLAN: plan.launch {{.*}} label = "relayout"
// PLAN: plan.launch {{.*}} label = "gemm_packed
// PLAN: plan.launch {{.*}} label = "rows reduce_sub_exp_reduce_log_add_compare_select"
func.func @logarithm(%q: tensor<2x4x32x16xf32>, %k: tensor<2x4x48x16xf32>, %v: tensor<2x4x48x16xf32>, %m: tensor<32x48xf32>) -> tensor<2x4x32xf32> {
  %0:2 = graph.attention %q, %k, %v mask %m {with_log_sum_exp} : (tensor<2x4x32x16xf32>, tensor<2x4x48x16xf32>, tensor<2x4x48x16xf32>, tensor<32x48xf32>) -> (tensor<2x4x32x16xf32>, tensor<2x4x32xf32>)
  return %0#1 : tensor<2x4x32xf32>
}
