// Ops that find their elements join the pointwise fusion that reads them.
//
// RUN: minic-opt %s --kernel-fuse --split-input-file | FileCheck %s

// What BERT begins with is one fusion.
// CHECK-LABEL: func.func @embeddings
// CHECK:      kernel.fusion
// CHECK-NEXT:   graph.gather
// CHECK-NEXT:   graph.gather
// CHECK-NEXT:   graph.add
// CHECK-NEXT:   graph.add
// CHECK-NEXT:   kernel.yield
// CHECK-NOT:  kernel.fusion
func.func @embeddings(%words: tensor<9x16xbf16>, %positions: tensor<8x16xbf16>, %types: tensor<2x16xbf16>, %ids: tensor<3x8xi32>, %kinds: tensor<3x8xi32>) -> tensor<3x8x16xbf16> {
  %0 = graph.gather %words, %ids axis = 0 : (tensor<9x16xbf16>, tensor<3x8xi32>) -> tensor<3x8x16xbf16>
  %1 = graph.gather %types, %kinds axis = 0 : (tensor<2x16xbf16>, tensor<3x8xi32>) -> tensor<3x8x16xbf16>
  %2 = graph.add %0, %1 : tensor<3x8x16xbf16>
  %3 = graph.add %2, %positions : (tensor<3x8x16xbf16>, tensor<8x16xbf16>) -> tensor<3x8x16xbf16>
  return %3 : tensor<3x8x16xbf16>
}

// -----

// An iota costs nothing: each of its pointwise readers has one, whatever the
// shape.
// CHECK-LABEL: func.func @counts
// CHECK:      kernel.fusion
// CHECK-NEXT:   graph.iota
// CHECK-NEXT:   graph.mul
// CHECK:      kernel.fusion
// CHECK-NEXT:   graph.iota
// CHECK-NEXT:   graph.add
// CHECK-NOT:  kernel.fusion
func.func @counts(%x: tensor<4x8xf32>, %y: tensor<2x8xf32>) -> (tensor<4x8xf32>, tensor<2x8xf32>) {
  %0 = graph.iota axis = 0 : tensor<8xf32>
  %1 = graph.mul %x, %0 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %2 = graph.add %y, %0 : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  return %1, %2 : tensor<4x8xf32>, tensor<2x8xf32>
}

// -----

// Not where it is broadcast, which would find each element many times, where
// something else reads it too, where a product does, or where what follows is
// better computed in vectors.
// CHECK-LABEL: func.func @apart
// CHECK:      graph.gather
// CHECK-NEXT: kernel.yield
// CHECK:      graph.gather
// CHECK-NEXT: kernel.yield
// CHECK:      graph.gather
// CHECK-NEXT: kernel.yield
// CHECK:      graph.gather
// CHECK-NEXT: kernel.yield
// CHECK-NOT:  graph.gather
func.func @apart(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %ids: tensor<4xi32>, %one: tensor<1xi32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = graph.gather %x, %one axis = 0 : (tensor<4x8xf32>, tensor<1xi32>) -> tensor<1x8xf32>
  %1 = graph.mul %x, %0 : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  %2 = graph.gather %x, %ids axis = 0 : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  %3 = graph.relu %2 : tensor<4x8xf32>
  %4 = graph.gather %1, %ids axis = 0 : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  %5 = graph.linear %4, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %6 = graph.gather %w, %ids axis = 0 : (tensor<8x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  %7 = graph.gelu %6 : tensor<4x8xf32>
  return %1, %2, %3, %5, %7 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Each of two rotary embeddings finds its cosines and sines itself.
// CHECK-LABEL: func.func @turns
// CHECK:      kernel.fusion
// CHECK-NEXT:   graph.gather
// CHECK-NEXT:   graph.gather
// CHECK-NEXT:   graph.rotary
// CHECK-NEXT:   kernel.yield
// CHECK:      kernel.fusion
// CHECK-NEXT:   graph.gather
// CHECK-NEXT:   graph.gather
// CHECK-NEXT:   graph.rotary
// CHECK-NEXT:   kernel.yield
// CHECK-NOT:  kernel.fusion
func.func @turns(%q: tensor<1x6x1x4xf32>, %k: tensor<1x2x1x4xf32>, %cos: tensor<9x2xf32>, %sin: tensor<9x2xf32>, %at: tensor<i64>) -> (tensor<1x6x1x4xf32>, tensor<1x2x1x4xf32>) {
  %0 = graph.gather %cos, %at axis = 0 : (tensor<9x2xf32>, tensor<i64>) -> tensor<2xf32>
  %1 = graph.gather %sin, %at axis = 0 : (tensor<9x2xf32>, tensor<i64>) -> tensor<2xf32>
  %2 = graph.rotary %q, %0, %1 : (tensor<1x6x1x4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x6x1x4xf32>
  %3 = graph.rotary %k, %0, %1 : (tensor<1x2x1x4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x1x4xf32>
  return %2, %3 : tensor<1x6x1x4xf32>, tensor<1x2x1x4xf32>
}

// -----

// Not where another op reads them, too.
// CHECK-LABEL: func.func @seen_turns
// CHECK:      kernel.fusion
// CHECK-NEXT:   graph.gather
// CHECK-NEXT:   kernel.yield
// CHECK:      kernel.fusion
// CHECK-NEXT:   graph.gather
// CHECK-NEXT:   graph.rotary
// CHECK-NEXT:   kernel.yield
// CHECK-NOT:  kernel.fusion
func.func @seen_turns(%q: tensor<1x6x1x4xf32>, %cos: tensor<9x2xf32>, %sin: tensor<9x2xf32>, %at: tensor<i64>) -> (tensor<1x6x1x4xf32>, tensor<2xf32>) {
  %0 = graph.gather %cos, %at axis = 0 : (tensor<9x2xf32>, tensor<i64>) -> tensor<2xf32>
  %1 = graph.gather %sin, %at axis = 0 : (tensor<9x2xf32>, tensor<i64>) -> tensor<2xf32>
  %2 = graph.rotary %q, %0, %1 : (tensor<1x6x1x4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x6x1x4xf32>
  return %2, %0 : tensor<1x6x1x4xf32>, tensor<2xf32>
}
