// RUN: minic-opt %s --split-input-file --verify-diagnostics --plan-lower

func.func @unimplemented(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @below {{expects an implementation before it can be planned, got none}}
  %0 = kernel.fusion (%x0 = %x : tensor<3xf32>) -> tensor<3xf32> {
    %1 = graph.exp %x0 : tensor<3xf32>
    kernel.yield %1 : tensor<3xf32>
  }
  return %0 : tensor<3xf32>
}

// -----

func.func @not_fused(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @below {{'graph.exp' op expects an implementation before it can be planned, got none}}
  %0 = graph.exp %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// expected-error @below {{unsupported: inputs and outputs must be dense tensors of static shape, got 'tensor<?xf32>' for arg0}}
func.func @dynamic(%x: tensor<?xf32>) {
  return
}

// -----

#padded = #kernel.layout<order = [0], blocks = [], padded = [4]>
// expected-error @below {{unsupported: inputs and outputs must be dense tensors of static shape, got 'tensor<3xf32, #kernel.layout}}
func.func @layout(%x: tensor<3xf32, #padded>) {
  return
}

// -----

// Two inputs of one name could not be told apart.
// expected-error @below {{expects input names that differ, got 'x' twice}}
func.func @names(%x: tensor<3xf32> {graph.name = "x"}, %y: tensor<3xf32> {graph.name = "x"}) {
  return
}
