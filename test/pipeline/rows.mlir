// Softmax, norms and reductions are one kernel of the family `rows` each,
// pointwise neighbours included, and named ops are not taken apart.
//
// RUN: minic %s --threads=1 --compile-to=select-algorithm | FileCheck %s --check-prefix=SELECT
// RUN: minic %s --threads=1 --compile-to=plan | FileCheck %s --check-prefix=PLAN

// SELECT-LABEL: func.func @main
// SELECT: parts = [<ops = [0, 1, 2], impl = #kernel.impl<family = "rows", schedule = {keep = true, pieces = 1 : i64, tile = 5 : i64}>, operands = [unit, unit]>]>
// PLAN: plan.launch {{.*}} label = "rows add_softmax_relu"{{.*}} scratch_bytes = 256
func.func @main(%x: tensor<5x7xbf16>, %y: tensor<7xbf16>) -> tensor<5x7xbf16> {
  %0 = graph.add %x, %y : (tensor<5x7xbf16>, tensor<7xbf16>) -> tensor<5x7xbf16>
  %1 = graph.softmax %0 axis = 1 : tensor<5x7xbf16>
  %2 = graph.relu %1 : tensor<5x7xbf16>
  return %2 : tensor<5x7xbf16>
}

// A plain element is read again, not kept.
// SELECT-LABEL: func.func @norm
// SELECT: parts = [<ops = [0], impl = #kernel.impl<family = "rows", schedule = {keep = false, pieces = 1 : i64, tile = 5 : i64}>
func.func @norm(%x: tensor<5x7xf32>, %w: tensor<7xf32>) -> tensor<5x7xf32> {
  %0 = graph.rms_norm %x scale %w axis = 1 : (tensor<5x7xf32>, tensor<7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}
