// RUN: minic-opt %s --split-input-file --verify-diagnostics --kernel-realize

func.func @undecided(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{expects a choice, got none}}
  %0 = kernel.fusion (%x0 = %x : tensor<4x8xf32>) -> tensor<4x8xf32> {
    %1 = graph.exp %x0 : tensor<4x8xf32>
    kernel.yield %1 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

#impl = #kernel.impl<family = "f", schedule = {}>
func.func @too_few_layouts(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{expects a layout for each of the 1 operands of a part, got 0}}
  %0 = kernel.fusion (%x0 = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {choice = #kernel.choice<parts = [#kernel.part<ops = [0], impl = #impl, operands = []>]>} {
    %1 = graph.exp %x0 : tensor<4x8xf32>
    kernel.yield %1 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

#impl = #kernel.impl<family = "f", schedule = {}>
func.func @not_a_layout(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{expects operand layouts that are unit or #kernel.layout, got "dense"}}
  %0 = kernel.fusion (%x0 = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {choice = #kernel.choice<parts = [#kernel.part<ops = [0], impl = #impl, operands = ["dense"]>]>} {
    %1 = graph.exp %x0 : tensor<4x8xf32>
    kernel.yield %1 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

#impl = #kernel.impl<family = "f", schedule = {}>
#small = #kernel.layout<order = [0, 1], blocks = [], padded = [4, 4]>
func.func @layout_too_small(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{layout expects padded extents of at least the static shape, got 4 for 8}}
  %0 = kernel.fusion (%x0 = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {choice = #kernel.choice<parts = [#kernel.part<ops = [0], impl = #impl, operands = [#small]>]>} {
    %1 = graph.exp %x0 : tensor<4x8xf32>
    kernel.yield %1 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

// exp and relu in one part, tanh between them in another: neither can be first.
#impl = #kernel.impl<family = "f", schedule = {}>
func.func @cycle(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{expects parts that can be run one after another, got a cycle}}
  %0 = kernel.fusion (%x0 = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {choice = #kernel.choice<parts = [
        #kernel.part<ops = [0, 2], impl = #impl, operands = [unit, unit]>,
        #kernel.part<ops = [1], impl = #impl, operands = [unit]>]>} {
    %1 = graph.exp %x0 : tensor<4x8xf32>
    %2 = graph.tanh %1 : tensor<4x8xf32>
    %3 = graph.relu %2 : tensor<4x8xf32>
    kernel.yield %3 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}
