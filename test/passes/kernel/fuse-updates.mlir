// Attention leaves few new keys and values in their caches itself, if both are
// its own, and makes its query and length. Others are fusions before it.
//
// RUN: minic-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(kernel-fuse{update-rows=2}))' | FileCheck %s --check-prefixes=CHECK,ON
// RUN: minic-opt %s --split-input-file --kernel-fuse | FileCheck %s --check-prefixes=CHECK,OFF
// RUN: minic-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(kernel-fuse{update-rows=2 prologues=false}))' | FileCheck %s --check-prefixes=CHECK,OFF

// Keys and query are turned first; what counts the keys has another reader.
// CHECK-LABEL: func.func @decode
func.func @decode(%q: tensor<1x4x1x8xbf16>, %n: tensor<1x2x1x8xbf16>, %m: tensor<1x2x1x8xbf16>, %c: tensor<4xbf16>, %s: tensor<4xbf16>,
    %k: tensor<1x2x9x8xbf16>, %v: tensor<1x2x9x8xbf16>, %at: tensor<i64>, %one: tensor<i64>)
    -> (tensor<1x4x1x8xbf16>, tensor<1x2x9x8xbf16>, tensor<1x2x9x8xbf16>, tensor<i64>) {
  // ON: kernel.fusion
  // ON-NEXT: graph.add
  // ON-NEXT: kernel.yield
  // ON: kernel.fusion
  // ON-DAG: graph.rotary {{.*}}1x2x1x8
  // ON-DAG: %[[Q:.*]] = graph.rotary {{.*}}1x4x1x8
  // ON-DAG: %[[K:.*]] = graph.cache_update
  // ON-DAG: %[[V:.*]] = graph.cache_update
  // ON-DAG: %[[L:.*]] = graph.add
  // ON: graph.attention %[[Q]], %[[K]], %[[V]] key_length %[[L]]
  // ON-NEXT: kernel.yield
  // ON-NOT: kernel.fusion
  // OFF-COUNT-4: kernel.fusion
  %0 = graph.rotary %n, %c, %s : (tensor<1x2x1x8xbf16>, tensor<4xbf16>, tensor<4xbf16>) -> tensor<1x2x1x8xbf16>
  %1 = graph.cache_update %k, %0 at %at axis = 2 {graph.in_place} : (tensor<1x2x9x8xbf16>, tensor<1x2x1x8xbf16>, tensor<i64>) -> tensor<1x2x9x8xbf16>
  %2 = graph.cache_update %v, %m at %at axis = 2 {graph.in_place} : (tensor<1x2x9x8xbf16>, tensor<1x2x1x8xbf16>, tensor<i64>) -> tensor<1x2x9x8xbf16>
  %length = graph.add %at, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %t = graph.rotary %q, %c, %s : (tensor<1x4x1x8xbf16>, tensor<4xbf16>, tensor<4xbf16>) -> tensor<1x4x1x8xbf16>
  %3 = graph.attention %t, %1, %2 key_length %length : (tensor<1x4x1x8xbf16>, tensor<1x2x9x8xbf16>, tensor<1x2x9x8xbf16>, tensor<i64>) -> tensor<1x4x1x8xbf16>
  // CHECK: return
  return %3, %1, %2, %length : tensor<1x4x1x8xbf16>, tensor<1x2x9x8xbf16>, tensor<1x2x9x8xbf16>, tensor<i64>
}

// -----

// Three new rows are too many for these options.
// CHECK-LABEL: func.func @many
func.func @many(%q: tensor<1x2x3x8xbf16>, %n: tensor<1x2x3x8xbf16>, %k: tensor<1x2x9x8xbf16>, %v: tensor<1x2x9x8xbf16>, %at: tensor<i64>)
    -> (tensor<1x2x3x8xbf16>, tensor<1x2x9x8xbf16>, tensor<1x2x9x8xbf16>) {
  // CHECK: kernel.fusion
  // CHECK-COUNT-2: graph.cache_update
  // CHECK: kernel.fusion
  // CHECK-NEXT: graph.attention
  %0 = graph.cache_update %k, %n at %at axis = 2 {graph.in_place} : (tensor<1x2x9x8xbf16>, tensor<1x2x3x8xbf16>, tensor<i64>) -> tensor<1x2x9x8xbf16>
  %1 = graph.cache_update %v, %n at %at axis = 2 {graph.in_place} : (tensor<1x2x9x8xbf16>, tensor<1x2x3x8xbf16>, tensor<i64>) -> tensor<1x2x9x8xbf16>
  %2 = graph.attention %q, %0, %1 : (tensor<1x2x3x8xbf16>, tensor<1x2x9x8xbf16>, tensor<1x2x9x8xbf16>) -> tensor<1x2x3x8xbf16>
  return %2, %0, %1 : tensor<1x2x3x8xbf16>, tensor<1x2x9x8xbf16>, tensor<1x2x9x8xbf16>
}

// -----

// One of the caches is no state, but a tensor of its own: all stay apart.
// CHECK-LABEL: func.func @others
func.func @others(%q: tensor<1x2x1x8xbf16>, %n: tensor<1x2x1x8xbf16>, %k: tensor<1x2x9x8xbf16>, %v: tensor<1x2x9x8xbf16>, %at: tensor<i64>)
    -> (tensor<1x2x1x8xbf16>, tensor<1x2x9x8xbf16>) {
  // CHECK: kernel.fusion
  // CHECK-NEXT: graph.cache_update
  // CHECK: kernel.fusion
  // CHECK-NEXT: graph.cache_update
  // CHECK: kernel.fusion
  // CHECK-NEXT: graph.attention
  %0 = graph.cache_update %k, %n at %at axis = 2 {graph.in_place} : (tensor<1x2x9x8xbf16>, tensor<1x2x1x8xbf16>, tensor<i64>) -> tensor<1x2x9x8xbf16>
  %1 = graph.cache_update %v, %n at %at axis = 2 : (tensor<1x2x9x8xbf16>, tensor<1x2x1x8xbf16>, tensor<i64>) -> tensor<1x2x9x8xbf16>
  %2 = graph.attention %q, %0, %1 : (tensor<1x2x1x8xbf16>, tensor<1x2x9x8xbf16>, tensor<1x2x9x8xbf16>) -> tensor<1x2x1x8xbf16>
  return %2, %0 : tensor<1x2x1x8xbf16>, tensor<1x2x9x8xbf16>
}
