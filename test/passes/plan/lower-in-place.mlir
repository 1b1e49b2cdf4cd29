// RUN: minic-opt %s --split-input-file --verify-diagnostics --plan-lower --plan-assign-buffers --plan-order-commands --plan-verify | FileCheck %s

#impl = #kernel.impl<family = "f", schedule = {}>
!cache = tensor<8x4xf32>

// Both updates write into the output, which is the caller's cache. What reads
// the old cache runs first and what reads the new one afterwards; no copies.
// CHECK-LABEL: plan.function @chain
// CHECK-SAME: outputs [#plan.tensor_spec<name = "result0", type = tensor<8x4xf32>, alignment = 64>, #plan.tensor_spec<name = "result1", type = tensor<8x4xf32>, alignment = 64, in_place = 0 : i64>]
func.func @chain(%cache: !cache, %new: tensor<1x4xf32>, %at: tensor<i64>) -> (!cache, !cache {graph.in_place = 0 : i64}) {
  // CHECK-DAG: %[[NEXT:.+]] = plan.output 1
  // CHECK-DAG: %[[CACHE:.+]] = plan.input 0
  // CHECK-NOT: plan.copy
  // CHECK: plan.launch "exp_8x4_f32" grid [1](%[[CACHE]], %[[OLD:[^)]+]])
  // CHECK: plan.launch "cache_update_{{.+}}" grid [1](%[[CACHE]], %{{.+}}, %{{.+}}, %[[NEXT]])
  // CHECK-SAME: depends = array<i32: 0>
  // CHECK: plan.launch "cache_update_{{.+}}" grid [1](%[[NEXT]], %{{.+}}, %{{.+}}, %[[NEXT]])
  // CHECK-SAME: depends = array<i32: 1>
  // CHECK: plan.launch "add_{{.+}}" grid [1](%[[NEXT]], %[[OLD]], %{{.+}})
  // CHECK-NOT: plan.copy
  %0 = kernel.fusion (%c = %cache : !cache, %n = %new : tensor<1x4xf32>, %p = %at : tensor<i64>) -> !cache attributes {impl = #impl} {
    %1 = graph.cache_update %c, %n at %p axis = 0 {graph.in_place} : (!cache, tensor<1x4xf32>, tensor<i64>) -> !cache
    kernel.yield %1 : !cache
  }
  %2 = kernel.fusion (%c = %0 : !cache, %n = %new : tensor<1x4xf32>, %p = %at : tensor<i64>) -> !cache attributes {impl = #impl} {
    %3 = graph.cache_update %c, %n at %p axis = 0 {graph.in_place} : (!cache, tensor<1x4xf32>, tensor<i64>) -> !cache
    kernel.yield %3 : !cache
  }
  %flat = graph.reshape %cache : !cache to tensor<8x4xf32>
  %4 = kernel.fusion (%c = %flat : tensor<8x4xf32>) -> !cache attributes {impl = #impl} {
    %5 = graph.exp %c : !cache
    kernel.yield %5 : !cache
  }
  %6 = kernel.fusion (%a = %2 : !cache, %b = %4 : !cache) -> !cache attributes {impl = #impl} {
    %7 = graph.add %a, %b : !cache
    kernel.yield %7 : !cache
  }
  return %6, %2 : !cache, !cache
}

// -----

#impl = #kernel.impl<family = "f", schedule = {}>
!cache = tensor<8x4xf32>

// What reads both the old cache and the new one gets a copy of the old.
// CHECK-LABEL: plan.function @reads_both
func.func @reads_both(%cache: !cache, %new: tensor<1x4xf32>, %at: tensor<i64>) -> (!cache, !cache {graph.in_place = 0 : i64}) {
  // CHECK: plan.copy %[[COPY:.+]], %[[CACHE:.+]] bytes = 128
  // CHECK: plan.launch "cache_update_{{.+}}" grid [1](%[[CACHE]], %{{.+}}, %{{.+}}, %[[NEXT:[^)]+]])
  // CHECK-SAME: depends = array<i32: 0>
  // CHECK: plan.launch "sub_{{.+}}" grid [1](%[[NEXT]], %[[COPY]], %{{.+}})
  // CHECK-SAME: depends = array<i32: 1>
  // expected-warning @below {{a state is copied before it is updated in place, because what follows the update reads the old one}}
  %0 = kernel.fusion (%c = %cache : !cache, %n = %new : tensor<1x4xf32>, %p = %at : tensor<i64>) -> !cache attributes {impl = #impl} {
    %1 = graph.cache_update %c, %n at %p axis = 0 {graph.in_place} : (!cache, tensor<1x4xf32>, tensor<i64>) -> !cache
    kernel.yield %1 : !cache
  }
  %2 = kernel.fusion (%a = %0 : !cache, %b = %cache : !cache) -> !cache attributes {impl = #impl} {
    %3 = graph.sub %a, %b : !cache
    kernel.yield %3 : !cache
  }
  return %2, %0 : !cache, !cache
}

// -----

#impl = #kernel.impl<family = "f", schedule = {}>
!cache = tensor<8x4xf32>

// So does a result that is the old cache; the new one is copied to a result
// with memory of its own.
// CHECK-LABEL: plan.function @returns_both
func.func @returns_both(%cache: !cache, %new: tensor<1x4xf32>, %at: tensor<i64>) -> (!cache, !cache {graph.in_place = 0 : i64}, !cache) {
  // CHECK: plan.copy %[[COPY:.+]], %[[CACHE:.+]] bytes = 128
  // CHECK: plan.launch "cache_update_{{.+}}" grid [1](%[[CACHE]], %{{.+}}, %{{.+}}, %[[NEXT:[^)]+]])
  // CHECK: plan.copy %{{.+}}, %[[COPY]] bytes = 128
  // CHECK: plan.copy %{{.+}}, %[[NEXT]] bytes = 128
  // expected-warning @below {{a state is copied}}
  %0 = kernel.fusion (%c = %cache : !cache, %n = %new : tensor<1x4xf32>, %p = %at : tensor<i64>) -> !cache attributes {impl = #impl} {
    %1 = graph.cache_update %c, %n at %p axis = 0 {graph.in_place} : (!cache, tensor<1x4xf32>, tensor<i64>) -> !cache
    kernel.yield %1 : !cache
  }
  return %cache, %0, %0 : !cache, !cache, !cache
}

// -----

#impl = #kernel.impl<family = "f", schedule = {}>
!cache = tensor<8x4xf32>

// A kernel that copies the cache is no update in place: it writes to memory of
// its own, and the caller's is overwritten last.
// CHECK-LABEL: plan.function @copying
func.func @copying(%cache: !cache, %new: tensor<1x4xf32>, %at: tensor<i64>) -> (!cache {graph.in_place = 0 : i64}) {
  // CHECK: %[[NEW:.+]] = plan.buffer 128
  // CHECK: plan.launch "cache_update_{{.+}}" grid [1](%{{.+}}, %{{.+}}, %{{.+}}, %[[NEW]])
  // CHECK: %[[OUT:.+]] = plan.output 0
  // CHECK: plan.copy %[[OUT]], %[[NEW]] bytes = 128
  %0 = kernel.fusion (%c = %cache : !cache, %n = %new : tensor<1x4xf32>, %p = %at : tensor<i64>) -> !cache attributes {impl = #impl} {
    %1 = graph.cache_update %c, %n at %p axis = 0 : (!cache, tensor<1x4xf32>, tensor<i64>) -> !cache
    kernel.yield %1 : !cache
  }
  return %0 : !cache
}
