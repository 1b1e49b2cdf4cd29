// RUN: minic-opt %s --split-input-file --kernel-prepare-weights | FileCheck %s

#packed = #kernel.layout<order = [0, 1], blocks = [[0, 8]], padded = [16, 8]>
#swapped = #kernel.layout<order = [1, 0], blocks = [], padded = [16, 8]>

// Two relayouts into one layout share a constant; another layout is another
// constant; the dense one, used by nothing any more, is gone.
// CHECK-LABEL: func.func @shared
func.func @shared() -> (tensor<16x8xf32, #packed>, tensor<16x8xf32, #packed>, tensor<16x8xf32, #swapped>) {
  // CHECK-NEXT: %[[PACKED_W:.+]] = graph.constant @w : tensor<16x8xf32, #kernel.layout<order = [0, 1],
  // CHECK-NEXT: %[[SWAPPED_W:.+]] = graph.constant @w : tensor<16x8xf32, #kernel.layout<order = [1, 0],
  // CHECK-NEXT: return %[[PACKED_W]], %[[PACKED_W]], %[[SWAPPED_W]]
  %w = graph.constant @w : tensor<16x8xf32>
  %0 = kernel.relayout %w : tensor<16x8xf32> to tensor<16x8xf32, #packed>
  %1 = kernel.relayout %w : tensor<16x8xf32> to tensor<16x8xf32, #packed>
  %2 = kernel.relayout %w : tensor<16x8xf32> to tensor<16x8xf32, #swapped>
  return %0, %1, %2 : tensor<16x8xf32, #packed>, tensor<16x8xf32, #packed>, tensor<16x8xf32, #swapped>
}

// -----

#swapped = #kernel.layout<order = [1, 0], blocks = [], padded = [2, 2]>

// An inline value stays dense: the packer runs when the artifact is written.
// A dense use keeps the dense constant.
// CHECK-LABEL: func.func @both
func.func @both() -> (tensor<2x2xf32, #swapped>, tensor<2x2xf32>) {
  // CHECK-DAG: graph.constant dense<{{.+}}> : tensor<2x2xf32> as tensor<2x2xf32, #kernel.layout
  // CHECK-DAG: graph.constant dense<{{.+}}> : tensor<2x2xf32>{{$}}
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = kernel.relayout %w : tensor<2x2xf32> to tensor<2x2xf32, #swapped>
  return %0, %w : tensor<2x2xf32, #swapped>, tensor<2x2xf32>
}

// -----

#swapped = #kernel.layout<order = [1, 0], blocks = [], padded = [4, 8]>

// What is computed at run time is repacked at run time.
// CHECK-LABEL: func.func @activation
// CHECK: kernel.relayout
func.func @activation(%x: tensor<4x8xf32>) -> tensor<4x8xf32, #swapped> {
  %0 = kernel.relayout %x : tensor<4x8xf32> to tensor<4x8xf32, #swapped>
  return %0 : tensor<4x8xf32, #swapped>
}
