// RUN: minic-opt %s --split-input-file --verify-diagnostics --graph-check-supported

// A static model passes; a private declaration is nobody's entry.
func.func private @helper(tensor<?xf32>)
func.func @fine(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.relu %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Dynamic dimensions are reported at the argument, not at all that follows.
// expected-error @below {{unsupported: dynamic dimension 0 of 'tensor<?x8xf32>', shape buckets are not implemented yet}}
func.func @dynamic(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = graph.relu %x : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

func.func @dynamic_inside(%x: tensor<4x8xf32>) -> tensor<4x?xf32> {
  // expected-error @below {{unsupported: dynamic dimension 1 of 'tensor<4x?xf32>'}}
  %0 = graph.reshape %x : tensor<4x8xf32> to tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// -----

// expected-error @below {{unsupported: empty tensor 'tensor<0x8xf32>'}}
func.func @empty(%x: tensor<0x8xf32>) -> tensor<0x8xf32> {
  return %x : tensor<0x8xf32>
}

// -----

// expected-error @below {{unsupported: 'tensor<4294967296x4294967296xf32>' has more than 2^47 elements}}
func.func @enormous(%x: tensor<4294967296x4294967296xf32>) {
  return
}
