// What no other source implements: scalar loops for the op that needs them, the
// rest in a kernel of its own. Where another takes a part, loops are not a row,
// unless --deterministic leaves out the other.
//
// RUN: minic %s --threads=1 --compile-to=select-algorithm | FileCheck %s --check-prefix=SELECT
// RUN: minic %s --threads=1 --compile-to=plan | FileCheck %s --check-prefix=PLAN
// RUN: minic %s --threads=1 --log=fusion -o %t.minic 2>&1 | FileCheck %s --check-prefix=LOG --implicit-check-not=loops
// RUN: minic %s --threads=1 --deterministic -o %t.minic | FileCheck %s --check-prefix=SAME
// RUN: minic-run %t.minic --function=square --check

// SELECT: parts = [<ops = [0], impl = #kernel.impl<family = "pointwise"
// SELECT-SAME: <ops = [1], impl = #kernel.impl<family = "loops", schedule = {tile = 35 : i64}>, operands = [unit]>]

// PLAN: plan.launch {{.*}} label = "pointwise add"
// PLAN: plan.launch {{.*}} label = "loops cumsum"

// LOG: @main add_cumsum(5x7) bf16: generated pointwise tile=4096 + loops tile=35, best estimate of 2 candidates
// LOG: @product linear_relu(4x8, 8x8) f32:
// LOG: @square exp_matmul(2x3x5, 2x3x5) f32: aten

// SAME: @product linear_relu(4x8, 8x8) f32: generated gemm_packed
// SAME: @square exp_matmul(2x3x5, 2x3x5) f32: generated loops
func.func @main(%x: tensor<5x7xbf16>, %y: tensor<7xbf16>) -> tensor<5x7xbf16> {
  %0 = graph.add %x, %y : (tensor<5x7xbf16>, tensor<7xbf16>) -> tensor<5x7xbf16>
  %1 = graph.cumsum %0 axis = 1 : tensor<5x7xbf16>
  return %1 : tensor<5x7xbf16>
}

func.func @product(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.linear %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = graph.relu %0 : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// A generated product reads each operand once.
func.func @square(%x: tensor<2x3x5xf32>) -> tensor<2x3x3xf32> {
  %0 = graph.exp %x : tensor<2x3x5xf32>
  %1 = graph.matmul %0, %0 {transpose_rhs} : (tensor<2x3x5xf32>, tensor<2x3x5xf32>) -> tensor<2x3x3xf32>
  return %1 : tensor<2x3x3xf32>
}
