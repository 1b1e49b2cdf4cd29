// Each rule of kernel-fuse can be turned off by itself.
//
// RUN: minic-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(kernel-fuse))' | FileCheck %s --check-prefixes=CHECK,ON
// RUN: minic-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(kernel-fuse{epilogues=false}))' | FileCheck %s --check-prefixes=CHECK,EPILOGUES
// RUN: minic-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(kernel-fuse{prologues=false}))' | FileCheck %s --check-prefixes=CHECK,PROLOGUES
// RUN: minic-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(kernel-fuse{pointwise=false}))' | FileCheck %s --check-prefixes=CHECK,POINTWISE
// RUN: minic-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(kernel-fuse{moves=false}))' | FileCheck %s --check-prefixes=CHECK,MOVES
// RUN: minic-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(kernel-fuse{attention=false}))' | FileCheck %s --check-prefixes=CHECK,ATTENTION

// What follows the contraction stays two pointwise ops, which still share a
// fusion.
// CHECK-LABEL: func.func @epilogue
func.func @epilogue(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>) -> tensor<4x16xf32> {
  // ON-COUNT-1: kernel.fusion
  // ON-NOT: kernel.fusion
  // EPILOGUES: kernel.fusion
  // EPILOGUES-NEXT: graph.linear
  // EPILOGUES-NEXT: kernel.yield
  // EPILOGUES: kernel.fusion
  // EPILOGUES-NEXT: graph.relu
  // EPILOGUES-NEXT: graph.tanh
  // EPILOGUES-NEXT: kernel.yield
  // POINTWISE-COUNT-1: kernel.fusion
  // POINTWISE-NOT: kernel.fusion
  %0 = graph.linear %x, %w : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  %1 = graph.relu %0 : tensor<4x16xf32>
  %2 = graph.tanh %1 : tensor<4x16xf32>
  // CHECK: return
  return %2 : tensor<4x16xf32>
}

// -----

// What makes a contraction's operand, or the rows of a norm.
// CHECK-LABEL: func.func @prologue
func.func @prologue(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>) -> (tensor<4x16xf32>, tensor<4x8xf32>) {
  // ON: kernel.fusion
  // ON-NEXT: graph.exp
  // ON-NEXT: graph.linear
  // ON: kernel.fusion
  // ON-NEXT: graph.tanh
  // ON-NEXT: graph.softmax
  // PROLOGUES-COUNT-4: kernel.fusion
  %0 = graph.exp %x : tensor<4x8xf32>
  %1 = graph.linear %0, %w : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  %2 = graph.tanh %x : tensor<4x8xf32>
  %3 = graph.softmax %2 axis = 1 : tensor<4x8xf32>
  // CHECK: return
  return %1, %3 : tensor<4x16xf32>, tensor<4x8xf32>
}

// -----

// Pointwise ops alone; the cheap producer of two readers has no copy in them.
// CHECK-LABEL: func.func @pointwise
func.func @pointwise(%x: tensor<4x8xf32>, %row: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  // ON-COUNT-1: kernel.fusion
  // ON-NOT: kernel.fusion
  // EPILOGUES-COUNT-1: kernel.fusion
  // EPILOGUES-NOT: kernel.fusion
  // POINTWISE-COUNT-3: kernel.fusion
  // POINTWISE-NOT: kernel.fusion
  %0 = graph.relu %x : tensor<4x8xf32>
  %1 = graph.tanh %0 : tensor<4x8xf32>
  %2 = graph.exp %0 : tensor<4x8xf32>
  // CHECK: return
  return %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A transpose and a slice that one op reads, and elements that are found.
// CHECK-LABEL: func.func @moves
func.func @moves(%x: tensor<8x4xf32>, %y: tensor<4x16xf32>, %table: tensor<9x4xf32>, %rows: tensor<4xi64>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x4xf32>) {
  // ON-COUNT-3: kernel.fusion
  // ON-NOT: kernel.fusion
  // MOVES-COUNT-6: kernel.fusion
  // MOVES-NOT: kernel.fusion
  %0 = graph.transpose %x [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %1 = graph.relu %0 : tensor<4x8xf32>
  %2 = graph.slice %y [0, 4] to [4, 12] by [1, 1] : tensor<4x16xf32> -> tensor<4x8xf32>
  %3 = graph.tanh %2 : tensor<4x8xf32>
  %4 = graph.gather %table, %rows axis = 0 : (tensor<9x4xf32>, tensor<4xi64>) -> tensor<4x4xf32>
  %5 = graph.relu %4 : tensor<4x4xf32>
  // CHECK: return
  return %1, %3, %5 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x4xf32>
}

// -----

// Attention as its stages, which are fused as any other ops.
// CHECK-LABEL: func.func @attention
func.func @attention(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x4x8xf32>, %v: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  // ON-COUNT-1: kernel.fusion
  // ON: graph.attention
  // ATTENTION-NOT: graph.attention
  // ATTENTION: graph.matmul
  // ATTENTION: kernel.fusion
  // ATTENTION: graph.reduce max
  // ATTENTION: kernel.fusion
  // ATTENTION: graph.matmul
  %0 = graph.attention %q, %k, %v : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  // CHECK: return
  return %0 : tensor<1x2x4x8xf32>
}
