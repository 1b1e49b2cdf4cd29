// What no other source implements: scalar loops for the ops that need them, a
// named op by its stages. Where another takes a part, loops are not a row.
//
// RUN: minic %s --threads=1 --compile-to=select-algorithm | FileCheck %s --check-prefix=SELECT
// RUN: minic %s --threads=1 --compile-to=plan | FileCheck %s --check-prefix=PLAN
// RUN: minic %s --threads=1 --log=fusion -o %t.minic 2>&1 | FileCheck %s --check-prefix=LOG --implicit-check-not=loops

// SELECT: parts = [<ops = [0, 1], impl = #kernel.impl<family = "pointwise"
// SELECT-SAME: <ops = [2], impl = #kernel.impl<family = "loops", schedule = {tile = 5 : i64}>, operands = [unit]>
// SELECT-SAME: <ops = [3, 4], impl = #kernel.impl<family = "pointwise"
// SELECT-SAME: <ops = [5], impl = #kernel.impl<family = "loops"
// SELECT-SAME: <ops = [6, 7], impl = #kernel.impl<family = "pointwise"
// SELECT-SAME: expand = [1]>

// PLAN: plan.launch {{.*}} label = "pointwise add_cast"
// PLAN: plan.launch {{.*}} label = "loops reduce"
// PLAN: plan.launch {{.*}} label = "pointwise sub_exp"
// PLAN: plan.launch {{.*}} label = "loops reduce"
// PLAN: plan.launch {{.*}} label = "pointwise div_cast"

// LOG: @main add_softmax(5x7) bf16: generated expanded pointwise tile=4096 + loops tile=5 + pointwise tile=4096 + loops tile=5 + pointwise tile=4096, best estimate of 1 candidates
// LOG: @product linear_relu(4x8, 8x8) f32:
func.func @main(%x: tensor<5x7xbf16>, %y: tensor<7xbf16>) -> tensor<5x7xbf16> {
  %0 = graph.add %x, %y : (tensor<5x7xbf16>, tensor<7xbf16>) -> tensor<5x7xbf16>
  %1 = graph.softmax %0 axis = 1 : tensor<5x7xbf16>
  return %1 : tensor<5x7xbf16>
}

func.func @product(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.linear %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = graph.relu %0 : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
