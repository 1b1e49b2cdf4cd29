// What made-up integers may be: derived from the ops that read by them, kept on
// the arguments of models and problems, written to the artifact.

// RUN: minic %s --compile-to=import | FileCheck %s --check-prefix=MODEL
// RUN: minic %s --compile-to=plan | FileCheck %s --check-prefix=PLAN
// RUN: rm -rf %t && minic %s --dump-problems=%t.problems -o %t.minic > /dev/null
// RUN: cat %t.problems/*.mlir | FileCheck %s --check-prefix=PROBLEM
// RUN: minic inspect %t.minic | FileCheck %s --check-prefix=INSPECT
// RUN: minic inspect --mlir %t.minic | FileCheck %s --check-prefix=PLAN
// RUN: minic inspect --json %t.minic | FileCheck %s --check-prefix=JSON
// RUN: minic-run %t.minic --function=embed --check
// RUN: minic-run %t.minic --function=decode --check

// An index behind a cast, and a range that the caller gives.
// MODEL: func.func @embed
// MODEL-SAME: kernel.values = {index = array<i64: 0, 98>}
// MODEL-SAME: kernel.values = {index = array<i64: 1, 3>}
// PLAN: plan.function @embed
// PLAN: kernel.values = [unit, {index = array<i64: 0, 98>}, {index = array<i64: 1, 3>}]
// INSPECT: function embed
// INSPECT: ids: {{.*}}, indices 0 to 98
// INSPECT: kinds: {{.*}}, indices 1 to 3
// INSPECT: times the largest live set
// JSON: "values"
// JSON: "live_bytes"
func.func @embed(%table: tensor<99x8xf32>, %ids: tensor<5xi32>,
    %kinds: tensor<5xi64> {kernel.values = {index = array<i64: 1, 3>}}) -> tensor<5x8xf32> {
  %wide = graph.cast %ids : tensor<5xi32> to tensor<5xi64>
  %0 = graph.gather %table, %wide axis = 0 : (tensor<99x8xf32>, tensor<5xi64>) -> tensor<5x8xf32>
  %1 = graph.gather %table, %kinds axis = 0 : (tensor<99x8xf32>, tensor<5xi64>) -> tensor<5x8xf32>
  %2 = graph.add %0, %1 : tensor<5x8xf32>
  return %2 : tensor<5x8xf32>
}

// A position in a cache of 12, which is the length of the keys less one, and a
// row of a shorter table: what satisfies all three. A mask is one of i1.
// MODEL: func.func @decode
// MODEL-SAME: kernel.values = {index = array<i64: 0, 8>}
// MODEL-SAME: kernel.values = {mask = array<i64: 0, 1>}
// INSPECT: function decode
// INSPECT: at: {{.*}}, indices 0 to 8
// INSPECT: mask: {{.*}}, a mask
func.func @decode(%q: tensor<1x2x1x4xf32>, %k: tensor<1x2x12x4xf32>, %v: tensor<1x2x12x4xf32>,
    %new: tensor<1x2x1x4xf32>, %table: tensor<9x4xf32>, %at: tensor<i64>,
    %mask: tensor<1x1x1x12xi1>) -> (tensor<1x2x1x4xf32>, tensor<1x2x12x4xf32>) {
  %one = graph.constant dense<1> : tensor<i64>
  %length = graph.add %at, %one : tensor<i64>
  %row = graph.gather %table, %at axis = 0 : (tensor<9x4xf32>, tensor<i64>) -> tensor<4xf32>
  %q2 = graph.mul %q, %row : (tensor<1x2x1x4xf32>, tensor<4xf32>) -> tensor<1x2x1x4xf32>
  %keys = graph.cache_update %k, %new at %at axis = 2
    : (tensor<1x2x12x4xf32>, tensor<1x2x1x4xf32>, tensor<i64>) -> tensor<1x2x12x4xf32>
  %0 = graph.attention %q2, %keys, %v mask %mask key_length %length
    : (tensor<1x2x1x4xf32>, tensor<1x2x12x4xf32>, tensor<1x2x12x4xf32>, tensor<1x1x1x12xi1>, tensor<i64>) -> tensor<1x2x1x4xf32>
  return %0, %keys : tensor<1x2x1x4xf32>, tensor<1x2x12x4xf32>
}

// A problem's own operands: the length is one there, whatever made it.
// PROBLEM-DAG: kernel.values = {index = array<i64: 0, 98>}
// PROBLEM-DAG: kernel.values = {length = array<i64: 1, 12>}
// PROBLEM-DAG: kernel.values = {mask = array<i64: 0, 1>}

// Integers that are data have none.
// MODEL: func.func @data
// MODEL-NOT: kernel.values
// INSPECT: function data
// INSPECT-NOT: indices
func.func @data(%x: tensor<5xi64>) -> tensor<5xi64> {
  %0 = graph.add %x, %x : tensor<5xi64>
  return %0 : tensor<5xi64>
}
