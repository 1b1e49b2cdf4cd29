// Slices and concats that are dense stay outside of fusions, as reshapes do;
// other slices are read as strides.
//
// RUN: minic-opt %s --kernel-fuse --split-input-file | FileCheck %s

// Rows 8 to 16 begin at byte 512: a view.
// CHECK-LABEL: func.func @rows
// CHECK-NEXT: graph.slice
// CHECK-NEXT: kernel.fusion
// CHECK-NEXT:   graph.relu
func.func @rows(%x: tensor<32x16xf32>) -> tensor<8x16xf32> {
  %0 = graph.slice %x [8, 0] to [16, 16] by [1, 1] : tensor<32x16xf32> -> tensor<8x16xf32>
  %1 = graph.relu %0 : tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// -----

// So are columns of the only row, and a row of the only matrix.
// CHECK-LABEL: func.func @one_row
// CHECK-NOT: kernel.fusion
// CHECK: return
func.func @one_row(%x: tensor<1x48xf32>, %y: tensor<4x3x16xf32>) -> (tensor<1x16xf32>, tensor<1x1x16xf32>) {
  %0 = graph.slice %x [0, 32] to [1, 48] by [1, 1] : tensor<1x48xf32> -> tensor<1x16xf32>
  %1 = graph.slice %y [3, 2, 0] to [4, 3, 16] by [1, 1, 1] : tensor<4x3x16xf32> -> tensor<1x1x16xf32>
  return %0, %1 : tensor<1x16xf32>, tensor<1x1x16xf32>
}

// -----

// No views: columns of several rows, every other row, and what begins at byte
// 4. Those that one pointwise op reads join it.
// CHECK-LABEL: func.func @strided
// CHECK:      kernel.fusion
// CHECK-NEXT:   graph.slice %{{.+}} [0, 16]
// CHECK-NEXT:   graph.relu
// CHECK:      kernel.fusion
// CHECK-NEXT:   graph.slice %{{.+}} [0, 0]
// CHECK-NEXT:   graph.relu
// CHECK:      kernel.fusion
// CHECK-NEXT:   graph.slice %{{.+}} [1]
// CHECK-NEXT:   kernel.yield
func.func @strided(%x: tensor<8x32xf32>, %y: tensor<17xf32>) -> (tensor<8x16xf32>, tensor<4x32xf32>, tensor<16xf32>) {
  %0 = graph.slice %x [0, 16] to [8, 32] by [1, 1] : tensor<8x32xf32> -> tensor<8x16xf32>
  %1 = graph.relu %0 : tensor<8x16xf32>
  %2 = graph.slice %x [0, 0] to [8, 32] by [2, 1] : tensor<8x32xf32> -> tensor<4x32xf32>
  %3 = graph.relu %2 : tensor<4x32xf32>
  %4 = graph.slice %y [1] to [17] by [1] : tensor<17xf32> -> tensor<16xf32>
  return %1, %3, %4 : tensor<8x16xf32>, tensor<4x32xf32>, tensor<16xf32>
}

// -----

// The halves of a gate are read by the ops that use them; no anchor takes one.
// CHECK-LABEL: func.func @halves
// CHECK:      kernel.fusion
// CHECK-NEXT:   graph.linear
// CHECK-NEXT:   kernel.yield
// CHECK:      kernel.fusion
// CHECK-DAG:    graph.slice %{{.+}} [0, 0]
// CHECK-DAG:    graph.slice %{{.+}} [0, 16]
// CHECK:        graph.silu
// CHECK:        graph.mul
// CHECK-NOT:  kernel.fusion
func.func @halves(%x: tensor<8x4xf32>, %w: tensor<32x4xf32>) -> tensor<8x16xf32> {
  %0 = graph.linear %x, %w : (tensor<8x4xf32>, tensor<32x4xf32>) -> tensor<8x32xf32>
  %1 = graph.slice %0 [0, 0] to [8, 16] by [1, 1] : tensor<8x32xf32> -> tensor<8x16xf32>
  %2 = graph.slice %0 [0, 16] to [8, 32] by [1, 1] : tensor<8x32xf32> -> tensor<8x16xf32>
  %3 = graph.silu %1 : tensor<8x16xf32>
  %4 = graph.mul %3, %2 : tensor<8x16xf32>
  return %4 : tensor<8x16xf32>
}

// -----

// A product takes the slices that only what makes its operands reads: one kernel
// ahead of it, in place of three.
// CHECK-LABEL: func.func @halves_of_product
// CHECK:      kernel.fusion
// CHECK-DAG:    graph.slice %{{.+}} [0, 0]
// CHECK-DAG:    graph.slice %{{.+}} [0, 16]
// CHECK:        graph.silu
// CHECK:        graph.mul
// CHECK:        graph.linear
// CHECK-NEXT:   graph.add
// CHECK-NOT:  kernel.fusion
func.func @halves_of_product(%x: tensor<8x32xf32>, %w: tensor<4x16xf32>, %y: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = graph.slice %x [0, 0] to [8, 16] by [1, 1] : tensor<8x32xf32> -> tensor<8x16xf32>
  %1 = graph.slice %x [0, 16] to [8, 32] by [1, 1] : tensor<8x32xf32> -> tensor<8x16xf32>
  %2 = graph.silu %0 : tensor<8x16xf32>
  %3 = graph.mul %2, %1 : tensor<8x16xf32>
  %4 = graph.linear %3, %w : (tensor<8x16xf32>, tensor<4x16xf32>) -> tensor<8x4xf32>
  %5 = graph.add %4, %y : tensor<8x4xf32>
  return %5 : tensor<8x4xf32>
}

// -----

// Not a slice that is an operand itself, nor one that what follows the product
// reads, alone or too: kernels of products read neither as strides.
// CHECK-LABEL: func.func @slices_around_product
// CHECK:      kernel.fusion
// CHECK-NEXT:   graph.slice %{{.+}} [0, 0]
// CHECK-NEXT:   kernel.yield
// CHECK:      kernel.fusion
// CHECK-NEXT:   graph.slice %{{.+}} [0, 16]
// CHECK-NEXT:   kernel.yield
// CHECK:      kernel.fusion
// CHECK-NEXT:   graph.slice %{{.+}} [0, 32]
// CHECK-NEXT:   kernel.yield
// CHECK:      kernel.fusion
// CHECK-NEXT:   graph.linear
// CHECK-NEXT:   graph.exp
// CHECK-NEXT:   graph.add
// CHECK:      kernel.fusion
// CHECK-NEXT:   graph.relu
// CHECK-NEXT:   graph.linear
// CHECK-NEXT:   graph.add
func.func @slices_around_product(%x: tensor<8x48xf32>, %w: tensor<16x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %0 = graph.slice %x [0, 0] to [8, 16] by [1, 1] : tensor<8x48xf32> -> tensor<8x16xf32>
  %1 = graph.slice %x [0, 16] to [8, 32] by [1, 1] : tensor<8x48xf32> -> tensor<8x16xf32>
  %2 = graph.slice %x [0, 32] to [8, 48] by [1, 1] : tensor<8x48xf32> -> tensor<8x16xf32>
  %3 = graph.linear %0, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %4 = graph.exp %1 : tensor<8x16xf32>
  %5 = graph.add %3, %4 : tensor<8x16xf32>
  %6 = graph.relu %2 : tensor<8x16xf32>
  %7 = graph.linear %6, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %8 = graph.add %7, %6 : tensor<8x16xf32>
  return %5, %8 : tensor<8x16xf32>, tensor<8x16xf32>
}

// -----

// A slice and the transpose that reads it are one kernel.
// CHECK-LABEL: func.func @slice_transpose
// CHECK:      kernel.fusion
// CHECK-NEXT:   graph.slice
// CHECK-NEXT:   graph.transpose
// CHECK-NEXT:   kernel.yield
// CHECK-NOT:  kernel.fusion
func.func @slice_transpose(%x: tensor<8x6x16xf32>) -> tensor<2x8x16xf32> {
  %0 = graph.slice %x [0, 2, 0] to [8, 4, 16] by [1, 1, 1] : tensor<8x6x16xf32> -> tensor<8x2x16xf32>
  %1 = graph.transpose %0 [1, 0, 2] : tensor<8x2x16xf32> -> tensor<2x8x16xf32>
  return %1 : tensor<2x8x16xf32>
}

// -----

// Pieces one after another are a view where one is computed, so that its
// kernel writes it there. Where all are inputs, a kernel reads them.
// CHECK-LABEL: func.func @pieces
// CHECK:      kernel.fusion
// CHECK-NEXT:   graph.relu
// CHECK-NEXT:   kernel.yield
// CHECK:      graph.concat
// CHECK-NEXT: kernel.fusion
// CHECK-NEXT:   graph.neg
// CHECK:      kernel.fusion
// CHECK-NEXT:   graph.concat
func.func @pieces(%x: tensor<1x1x16xf32>, %y: tensor<1x3x16xf32>) -> (tensor<1x4x16xf32>, tensor<1x4x16xf32>) {
  %0 = graph.relu %y : tensor<1x3x16xf32>
  %1 = graph.concat %x, %0 axis = 1 : (tensor<1x1x16xf32>, tensor<1x3x16xf32>) -> tensor<1x4x16xf32>
  %2 = graph.neg %1 : tensor<1x4x16xf32>
  %3 = graph.concat %x, %y axis = 1 : (tensor<1x1x16xf32>, tensor<1x3x16xf32>) -> tensor<1x4x16xf32>
  %4 = graph.neg %3 : tensor<1x4x16xf32>
  return %2, %4 : tensor<1x4x16xf32>, tensor<1x4x16xf32>
}

// -----

// An update in place takes what makes its new elements for it alone; what
// reads it does not take it.
// CHECK-LABEL: func.func @update
// CHECK:      kernel.fusion
// CHECK-NEXT:   graph.transpose
// CHECK-NEXT:   graph.cache_update {{.+}} {graph.in_place}
// CHECK-NEXT:   kernel.yield
// CHECK:      kernel.fusion
// CHECK-NEXT:   graph.relu
// CHECK-NEXT:   kernel.yield
func.func @update(%cache: tensor<2x8x16xf32>, %new: tensor<1x2x16xf32>, %at: tensor<i64>)
    -> (tensor<2x8x16xf32>, tensor<2x8x16xf32> {graph.in_place = 0 : i64}) {
  %0 = graph.transpose %new [1, 0, 2] : tensor<1x2x16xf32> -> tensor<2x1x16xf32>
  %1 = graph.cache_update %cache, %0 at %at axis = 1 {graph.in_place} : (tensor<2x8x16xf32>, tensor<2x1x16xf32>, tensor<i64>) -> tensor<2x8x16xf32>
  %2 = graph.relu %1 : tensor<2x8x16xf32>
  return %2, %1 : tensor<2x8x16xf32>, tensor<2x8x16xf32>
}

// Keys and values of one token are written by one kernel.
// CHECK-LABEL: func.func @keys_and_values
// CHECK:      kernel.fusion
// CHECK-NEXT:   [[K:%.+]] = graph.cache_update {{.+}} {graph.in_place}
// CHECK-NEXT:   graph.abs
// CHECK-NEXT:   [[V:%.+]] = graph.cache_update {{.+}} {graph.in_place}
// CHECK-NEXT:   kernel.yield [[K]], [[V]]
// CHECK-NOT:  kernel.fusion
func.func @keys_and_values(%keys: tensor<8x16xf32>, %values: tensor<8x16xf32>, %k: tensor<1x16xf32>, %v: tensor<1x16xf32>, %at: tensor<i64>)
    -> (tensor<8x16xf32> {graph.in_place = 0 : i64}, tensor<8x16xf32> {graph.in_place = 1 : i64}) {
  %0 = graph.cache_update %keys, %k at %at axis = 0 {graph.in_place} : (tensor<8x16xf32>, tensor<1x16xf32>, tensor<i64>) -> tensor<8x16xf32>
  %1 = graph.abs %v : tensor<1x16xf32>
  %2 = graph.cache_update %values, %1 at %at axis = 0 {graph.in_place} : (tensor<8x16xf32>, tensor<1x16xf32>, tensor<i64>) -> tensor<8x16xf32>
  return %0, %2 : tensor<8x16xf32>, tensor<8x16xf32>
}

// Not where one reads the other's state, after it or before, nor where new elements
// have other shapes.
// CHECK-LABEL: func.func @updates_apart
// CHECK-COUNT-3: kernel.fusion
func.func @updates_apart(%a: tensor<8x16xf32>, %b: tensor<8x16xf32>, %c: tensor<8x16xf32>, %new: tensor<1x16xf32>, %more: tensor<2x16xf32>, %at: tensor<i64>)
    -> (tensor<8x16xf32> {graph.in_place = 0 : i64}, tensor<8x16xf32> {graph.in_place = 1 : i64}, tensor<8x16xf32> {graph.in_place = 2 : i64}) {
  %0 = graph.cache_update %a, %new at %at axis = 0 {graph.in_place} : (tensor<8x16xf32>, tensor<1x16xf32>, tensor<i64>) -> tensor<8x16xf32>
  %1 = graph.slice %0 [5, 0] to [6, 16] by [1, 1] : tensor<8x16xf32> -> tensor<1x16xf32>
  %2 = graph.abs %1 : tensor<1x16xf32>
  %3 = graph.cache_update %b, %2 at %at axis = 0 {graph.in_place} : (tensor<8x16xf32>, tensor<1x16xf32>, tensor<i64>) -> tensor<8x16xf32>
  %4 = graph.cache_update %c, %more at %at axis = 0 {graph.in_place} : (tensor<8x16xf32>, tensor<2x16xf32>, tensor<i64>) -> tensor<8x16xf32>
  return %0, %3, %4 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>
}

// CHECK-LABEL: func.func @state_before
// CHECK-COUNT-2: kernel.fusion
func.func @state_before(%a: tensor<8x16xf32>, %b: tensor<8x16xf32>, %new: tensor<1x16xf32>, %at: tensor<i64>)
    -> (tensor<8x16xf32> {graph.in_place = 0 : i64}, tensor<8x16xf32> {graph.in_place = 1 : i64}) {
  %0 = graph.cache_update %a, %new at %at axis = 0 {graph.in_place} : (tensor<8x16xf32>, tensor<1x16xf32>, tensor<i64>) -> tensor<8x16xf32>
  %1 = graph.slice %a [3, 0] to [4, 16] by [1, 1] : tensor<8x16xf32> -> tensor<1x16xf32>
  %2 = graph.abs %1 : tensor<1x16xf32>
  %3 = graph.cache_update %b, %2 at %at axis = 0 {graph.in_place} : (tensor<8x16xf32>, tensor<1x16xf32>, tensor<i64>) -> tensor<8x16xf32>
  return %0, %3 : tensor<8x16xf32>, tensor<8x16xf32>
}
