// RUN: minic-opt %s --split-input-file --verify-diagnostics --kernel-select-algorithm=choices=%S/inputs/choices.mlir
// RUN: not minic-opt %s --kernel-select-algorithm=choices=%t.absent 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: not minic-opt %s --kernel-select-algorithm 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: echo '"text"' > %t.text
// RUN: not minic-opt %s --kernel-select-algorithm=choices=%t.text 2>&1 | FileCheck %s --check-prefix=TEXT

// ABSENT: error: cannot read choices: cannot open input file
// TEXT: error: expects a dictionary attribute in
// NONE: error: kernel-select-algorithm expects choices=FILE, got no selector

// A fusion that the file does not know.
func.func @unknown(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{expects a #kernel.choice for 'tanh_exp' in}}
  %0 = kernel.fusion (%x0 = %x : tensor<4x8xf32>) -> tensor<4x8xf32> {
    %1 = graph.tanh %x0 : tensor<4x8xf32>
    %2 = graph.exp %1 : tensor<4x8xf32>
    kernel.yield %2 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}
