// Attention reads query, key and value as strides, and writes its result so.
//
// RUN: minic-opt %s --kernel-fuse --split-input-file | FileCheck %s

// The heads of one product's result, and the result by rows.
// CHECK-LABEL: func.func @heads
// CHECK:      kernel.fusion (%[[X:.+]] = %{{.+}} : tensor<1x7x9x4xf32>)
// CHECK-DAG:    graph.slice %[[X]] [0, 0, 0, 0]
// CHECK-DAG:    graph.slice %[[X]] [0, 0, 3, 0]
// CHECK-DAG:    graph.slice %[[X]] [0, 0, 6, 0]
// CHECK-COUNT-3: graph.transpose
// CHECK:        %[[Y:.+]] = graph.attention
// CHECK-NEXT:   %[[ROWS:.+]] = graph.transpose %[[Y]]
// CHECK-NEXT:   kernel.yield %[[ROWS]]
// CHECK-NOT:  kernel.fusion
func.func @heads(%x: tensor<1x7x9x4xf32>) -> tensor<1x7x3x4xf32> {
  %0 = graph.slice %x [0, 0, 0, 0] to [1, 7, 3, 4] by [1, 1, 1, 1] : tensor<1x7x9x4xf32> -> tensor<1x7x3x4xf32>
  %1 = graph.slice %x [0, 0, 3, 0] to [1, 7, 6, 4] by [1, 1, 1, 1] : tensor<1x7x9x4xf32> -> tensor<1x7x3x4xf32>
  %2 = graph.slice %x [0, 0, 6, 0] to [1, 7, 9, 4] by [1, 1, 1, 1] : tensor<1x7x9x4xf32> -> tensor<1x7x3x4xf32>
  %3 = graph.transpose %0 [0, 2, 1, 3] : tensor<1x7x3x4xf32> -> tensor<1x3x7x4xf32>
  %4 = graph.transpose %1 [0, 2, 1, 3] : tensor<1x7x3x4xf32> -> tensor<1x3x7x4xf32>
  %5 = graph.transpose %2 [0, 2, 1, 3] : tensor<1x7x3x4xf32> -> tensor<1x3x7x4xf32>
  %6 = graph.attention %3, %4, %5 : (tensor<1x3x7x4xf32>, tensor<1x3x7x4xf32>, tensor<1x3x7x4xf32>) -> tensor<1x3x7x4xf32>
  %7 = graph.transpose %6 [0, 2, 1, 3] : tensor<1x3x7x4xf32> -> tensor<1x7x3x4xf32>
  return %7 : tensor<1x7x3x4xf32>
}

// -----

// One tensor that is query, key and value is read once.
// CHECK-LABEL: func.func @same
// CHECK:      kernel.fusion
// CHECK-NEXT:   %[[X:.+]] = graph.transpose
// CHECK-NEXT:   graph.attention %[[X]], %[[X]], %[[X]]
// CHECK-NOT:  kernel.fusion
func.func @same(%x: tensor<1x7x3x4xf32>) -> tensor<1x3x7x4xf32> {
  %0 = graph.transpose %x [0, 2, 1, 3] : tensor<1x7x3x4xf32> -> tensor<1x3x7x4xf32>
  %1 = graph.attention %0, %0, %0 : (tensor<1x3x7x4xf32>, tensor<1x3x7x4xf32>, tensor<1x3x7x4xf32>) -> tensor<1x3x7x4xf32>
  return %1 : tensor<1x3x7x4xf32>
}

// -----

// Kernels of their own: a key that the function returns too, a mask, and the
// transpose of a result that others read as it is.
// CHECK-LABEL: func.func @apart
// CHECK:      kernel.fusion
// CHECK-NEXT:   graph.transpose
// CHECK-NEXT:   kernel.yield
// CHECK:      kernel.fusion
// CHECK-NEXT:   graph.transpose
// CHECK-NEXT:   kernel.yield
// CHECK:      kernel.fusion
// CHECK-NEXT:   graph.attention
// CHECK-NEXT:   kernel.yield
// CHECK:      kernel.fusion
// CHECK-NEXT:   graph.transpose
// CHECK-NEXT:   kernel.yield
func.func @apart(%q: tensor<1x3x7x4xf32>, %k: tensor<1x5x3x4xf32>, %v: tensor<1x3x5x4xf32>, %m: tensor<5x7xf32>)
    -> (tensor<1x3x5x4xf32>, tensor<1x3x7x4xf32>, tensor<1x7x3x4xf32>) {
  %0 = graph.transpose %k [0, 2, 1, 3] : tensor<1x5x3x4xf32> -> tensor<1x3x5x4xf32>
  %1 = graph.transpose %m [1, 0] : tensor<5x7xf32> -> tensor<7x5xf32>
  %2 = graph.attention %q, %0, %v mask %1 : (tensor<1x3x7x4xf32>, tensor<1x3x5x4xf32>, tensor<1x3x5x4xf32>, tensor<7x5xf32>) -> tensor<1x3x7x4xf32>
  %3 = graph.transpose %2 [0, 2, 1, 3] : tensor<1x3x7x4xf32> -> tensor<1x7x3x4xf32>
  return %0, %2, %3 : tensor<1x3x5x4xf32>, tensor<1x3x7x4xf32>, tensor<1x7x3x4xf32>
}

// -----

// A transpose of what is cast for attention stays outside: kernels read the
// operands of a prologue dense.
// CHECK-LABEL: func.func @prologue
// CHECK:      kernel.fusion
// CHECK-NEXT:   graph.transpose
// CHECK-NEXT:   kernel.yield
// CHECK:      kernel.fusion
// CHECK-NEXT:   graph.cast
// CHECK-NEXT:   graph.attention
func.func @prologue(%q: tensor<1x7x3x4xf32>, %k: tensor<1x3x5x4xbf16>) -> tensor<1x3x7x4xbf16> {
  %0 = graph.transpose %q [0, 2, 1, 3] : tensor<1x7x3x4xf32> -> tensor<1x3x7x4xf32>
  %1 = graph.cast %0 : tensor<1x3x7x4xf32> to tensor<1x3x7x4xbf16>
  %2 = graph.attention %1, %k, %k : (tensor<1x3x7x4xbf16>, tensor<1x3x5x4xbf16>, tensor<1x3x5x4xbf16>) -> tensor<1x3x7x4xbf16>
  return %2 : tensor<1x3x7x4xbf16>
}

// -----

// A rotary embedding computes its elements one by one, from wherever they are.
// CHECK-LABEL: func.func @rotary
// CHECK:      kernel.fusion
// CHECK-NEXT:   graph.slice
// CHECK-NEXT:   graph.transpose
// CHECK-NEXT:   graph.rotary
// CHECK-NEXT:   kernel.yield
// CHECK-NOT:  kernel.fusion
func.func @rotary(%x: tensor<1x7x9x4xf32>, %c: tensor<7x2xf32>, %s: tensor<7x2xf32>) -> tensor<1x3x7x4xf32> {
  %0 = graph.slice %x [0, 0, 3, 0] to [1, 7, 6, 4] by [1, 1, 1, 1] : tensor<1x7x9x4xf32> -> tensor<1x7x3x4xf32>
  %1 = graph.transpose %0 [0, 2, 1, 3] : tensor<1x7x3x4xf32> -> tensor<1x3x7x4xf32>
  %2 = graph.rotary %1, %c, %s : (tensor<1x3x7x4xf32>, tensor<7x2xf32>, tensor<7x2xf32>) -> tensor<1x3x7x4xf32>
  return %2 : tensor<1x3x7x4xf32>
}
