// RUN: minic-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{layout order must be a permutation, got [0, 2]}}
func.func private @order(tensor<4x8xf32, #kernel.layout<order = [0, 2], blocks = [], padded = [4, 8]>>)

// -----

// expected-error @below {{layout expects 2 padded extents, got 1}}
func.func private @padded(tensor<4x8xf32, #kernel.layout<order = [0, 1], blocks = [], padded = [4]>>)

// -----

// expected-error @below {{layout block [2, 4] is out of range}}
func.func private @block_dimension(tensor<4x8xf32, #kernel.layout<order = [0, 1], blocks = [[2, 4]], padded = [4, 8]>>)

// -----

// expected-error @below {{layout block [0, 0] is out of range}}
func.func private @block_size(tensor<4x8xf32, #kernel.layout<order = [0, 1], blocks = [[0, 0]], padded = [4, 8]>>)

// -----

// Blocks of one dimension divide what the earlier ones leave.
// expected-error @below {{layout block 4 does not divide 6, the rest of dimension 1}}
func.func private @block_divides(tensor<4x12xf32, #kernel.layout<order = [0, 1], blocks = [[1, 2], [1, 4]], padded = [4, 12]>>)

// -----

// expected-error @below {{layout of rank 1 on a tensor of rank 2}}
func.func private @rank(tensor<4x8xf32, #kernel.layout<order = [0], blocks = [], padded = [8]>>)

// -----

// expected-error @below {{layout expects padded extents of at least the static shape, got 7 for 8}}
func.func private @too_small(tensor<4x8xf32, #kernel.layout<order = [0, 1], blocks = [], padded = [4, 7]>>)

// -----

func.func @arguments(%x: tensor<4xf32>) {
  // expected-error @below {{expects 1 body arguments, got 0}}
  "kernel.fusion"(%x) ({
    "kernel.yield"() : () -> ()
  }) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @argument_type(%x: tensor<4xf32, #kernel.layout<order = [0], blocks = [], padded = [8]>>) {
  // expected-error @below {{expects a body argument of type 'tensor<4xf32>', got 'tensor<5xf32>'}}
  "kernel.fusion"(%x) ({
  ^bb0(%x0: tensor<5xf32>):
    "kernel.yield"() : () -> ()
  }) : (tensor<4xf32, #kernel.layout<order = [0], blocks = [], padded = [8]>>) -> ()
  return
}

// -----

func.func @foreign(%x: tensor<4xf32>) {
  %0 = kernel.fusion (%x0 = %x : tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{'arith.negf' op is not allowed in a kernel.fusion}}
    %1 = arith.negf %x0 : tensor<4xf32>
    kernel.yield %1 : tensor<4xf32>
  }
  return
}

// -----

func.func @constant() {
  %0 = kernel.fusion () -> tensor<4xf32> {
    // expected-error @below {{'graph.constant' op is not allowed in a kernel.fusion}}
    %1 = graph.constant dense<1.0> : tensor<4xf32>
    kernel.yield %1 : tensor<4xf32>
  }
  return
}

// -----

func.func @yield(%x: tensor<4xf32>) {
  // expected-error @below {{expects to yield its result types 'tensor<5xf32>', got 'tensor<4xf32>'}}
  %0 = kernel.fusion (%x0 = %x : tensor<4xf32>) -> tensor<5xf32> {
    kernel.yield %x0 : tensor<4xf32>
  }
  return
}

// -----

#impl = #kernel.impl<family = "f", schedule = {}>
func.func @twice(%x: tensor<4xf32>) {
  // expected-error @below {{expects the parts of its choice to partition 1 body ops, got op 0 twice or out of range}}
  %0 = kernel.fusion (%x0 = %x : tensor<4xf32>) -> tensor<4xf32>
      attributes {choice = #kernel.choice<parts = [#kernel.part<ops = [0, 0], impl = #impl, operands = [unit]>]>} {
    %1 = graph.exp %x0 : tensor<4xf32>
    kernel.yield %1 : tensor<4xf32>
  }
  return
}

// -----

#impl = #kernel.impl<family = "f", schedule = {}>
func.func @uncovered(%x: tensor<4xf32>) {
  // expected-error @below {{expects the parts of its choice to cover every op}}
  %0 = kernel.fusion (%x0 = %x : tensor<4xf32>) -> tensor<4xf32>
      attributes {choice = #kernel.choice<parts = [#kernel.part<ops = [0], impl = #impl, operands = [unit]>]>} {
    %1 = graph.exp %x0 : tensor<4xf32>
    %2 = graph.relu %1 : tensor<4xf32>
    kernel.yield %2 : tensor<4xf32>
  }
  return
}

// -----

func.func @relayout(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects shape and dtype to stay 'tensor<4x8xf32>', got 'tensor<8x4xf32>'}}
  %0 = kernel.relayout %x : tensor<4x8xf32> to tensor<8x4xf32>
  return
}

// -----

// expected-error @below {{expects ranked tensors}}
kernel.fusion (%x0 = %x : f32) {
}

// -----

#impl = #kernel.impl<family = "f", schedule = {}>
func.func @expand_range(%x: tensor<4xf32>) {
  // expected-error @below {{expects its choice to expand body ops of ascending index below 2, got 2}}
  %0 = kernel.fusion (%x0 = %x : tensor<4xf32>) -> tensor<4xf32>
      attributes {choice = #kernel.choice<parts = [#kernel.part<ops = [0, 1], impl = #impl, operands = [unit]>], expand = [2]>} {
    %1 = graph.exp %x0 : tensor<4xf32>
    %2 = graph.softmax %1 axis = 0 : tensor<4xf32>
    kernel.yield %2 : tensor<4xf32>
  }
  return
}

// -----

#impl = #kernel.impl<family = "f", schedule = {}>
func.func @expand_twice(%x: tensor<4xf32>) {
  // expected-error @below {{expects its choice to expand body ops of ascending index below 2, got 1, 1}}
  %0 = kernel.fusion (%x0 = %x : tensor<4xf32>) -> tensor<4xf32>
      attributes {choice = #kernel.choice<parts = [#kernel.part<ops = [0, 1], impl = #impl, operands = [unit]>], expand = [1, 1]>} {
    %1 = graph.exp %x0 : tensor<4xf32>
    %2 = graph.softmax %1 axis = 0 : tensor<4xf32>
    kernel.yield %2 : tensor<4xf32>
  }
  return
}

// -----

#impl = #kernel.impl<family = "f", schedule = {}>
func.func @expand_pointwise(%x: tensor<4xf32>) {
  // expected-error @below {{expects its choice to expand ops that have stages, got graph.exp}}
  %0 = kernel.fusion (%x0 = %x : tensor<4xf32>) -> tensor<4xf32>
      attributes {choice = #kernel.choice<parts = [#kernel.part<ops = [0, 1], impl = #impl, operands = [unit]>], expand = [0]>} {
    %1 = graph.exp %x0 : tensor<4xf32>
    %2 = graph.softmax %1 axis = 0 : tensor<4xf32>
    kernel.yield %2 : tensor<4xf32>
  }
  return
}

// -----

#impl = #kernel.impl<family = "f", schedule = {}>
func.func @expand_invalid(%x: tensor<4xf32>) {
  %0 = kernel.fusion (%x0 = %x : tensor<4xf32>) -> tensor<4xf32>
      attributes {choice = #kernel.choice<parts = [#kernel.part<ops = [0], impl = #impl, operands = [unit]>], expand = [0]>} {
    // expected-error @below {{expects an axis from 0 to rank - 1 for 'tensor<4xf32>', got 1}}
    %1 = graph.softmax %x0 axis = 1 : tensor<4xf32>
    kernel.yield %1 : tensor<4xf32>
  }
  return
}

// -----

// What grows with the shapes is built for known ones only.
#impl = #kernel.impl<family = "f", schedule = {}>
func.func @expand_dynamic(%x: tensor<?xf32>) {
  // expected-error @below {{expects its choice to expand ops that have stages, got graph.softmax}}
  %0 = kernel.fusion (%x0 = %x : tensor<?xf32>) -> tensor<?xf32>
      attributes {choice = #kernel.choice<parts = [#kernel.part<ops = [0], impl = #impl, operands = [unit]>], expand = [0]>} {
    %1 = graph.softmax %x0 axis = 0 : tensor<?xf32>
    kernel.yield %1 : tensor<?xf32>
  }
  return
}

// -----

#impl = #kernel.impl<family = "f", schedule = {}>
func.func @expand_uncovered(%x: tensor<4xf32>) {
  // expected-error @below {{expects the parts of its choice to cover every op}}
  %0 = kernel.fusion (%x0 = %x : tensor<4xf32>) -> tensor<4xf32>
      attributes {choice = #kernel.choice<parts = [#kernel.part<ops = [0, 1], impl = #impl, operands = [unit]>], expand = [1]>} {
    %1 = graph.exp %x0 : tensor<4xf32>
    %2 = graph.softmax %1 axis = 0 : tensor<4xf32>
    kernel.yield %2 : tensor<4xf32>
  }
  return
}

// -----

#impl = #kernel.impl<family = "f", schedule = {}>
func.func @expand_parts(%x: tensor<4xf32>) {
  // expected-error @below {{expects the parts of its choice to partition 6 body ops, got op 6 twice or out of range}}
  %0 = kernel.fusion (%x0 = %x : tensor<4xf32>) -> tensor<4xf32>
      attributes {choice = #kernel.choice<parts = [#kernel.part<ops = [0, 6], impl = #impl, operands = [unit]>], expand = [1]>} {
    %1 = graph.exp %x0 : tensor<4xf32>
    %2 = graph.softmax %1 axis = 0 : tensor<4xf32>
    kernel.yield %2 : tensor<4xf32>
  }
  return
}
