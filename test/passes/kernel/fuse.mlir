// RUN: minic-opt %s --split-input-file --kernel-fuse | FileCheck %s

// A contraction takes the chain behind it, with side inputs of any shape that
// broadcasts; an input used twice is one operand.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[X:.+]]: tensor<4x8xf32>, %[[W:.+]]: tensor<8x8xf32>, %[[ROW:.+]]: tensor<8xf32>)
func.func @chain(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %row: tensor<8xf32>) -> tensor<4x8xbf16> {
  // CHECK-NEXT: %[[Y:.+]] = kernel.fusion (%[[X0:.+]] = %[[X]] : {{.*}}, %[[W0:.+]] = %[[W]] : {{.*}}, %[[ROW0:.+]] = %[[ROW]] :
  // CHECK-NEXT: %[[SUM:.+]] = graph.linear %[[X0]], %[[W0]]
  // CHECK-NEXT: %[[SHIFTED:.+]] = graph.add %[[SUM]], %[[ROW0]]
  // CHECK-NEXT: %[[ACTIVE:.+]] = graph.gelu %[[SHIFTED]]
  // CHECK-NEXT: %[[RESIDUAL:.+]] = graph.add %[[ACTIVE]], %[[X0]]
  // CHECK-NEXT: %[[NARROW:.+]] = graph.cast %[[RESIDUAL]]
  // CHECK-NEXT: kernel.yield %[[NARROW]]
  // CHECK: return %[[Y]]
  %0 = graph.linear %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = graph.add %0, %row : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %2 = graph.gelu %1 : tensor<4x8xf32>
  %3 = graph.add %2, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = graph.cast %3 : tensor<4x8xf32> to tensor<4x8xbf16>
  return %4 : tensor<4x8xbf16>
}

// -----

// The right operand of a contraction can be packed; who else reads the value
// has it as another operand.
// CHECK-LABEL: func.func @right_operand
// CHECK-SAME: (%[[X:.+]]: tensor<8x8xf32>)
// CHECK-NEXT: kernel.fusion (%[[LEFT:.+]] = %[[X]] : {{.*}}, %[[RIGHT:.+]] = %[[X]] :
// CHECK-NEXT: %[[SUM:.+]] = graph.linear %[[LEFT]], %[[RIGHT]]
// CHECK-NEXT: graph.add %[[SUM]], %[[LEFT]]
func.func @right_operand(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = graph.linear %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.add %0, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// A small DAG: a value with two users inside, a value that is also a result,
// and two leaves.
// CHECK-LABEL: func.func @dag
func.func @dag(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x16xi1>) {
  // CHECK: %[[Y:.+]]:3 = kernel.fusion
  // CHECK: %[[SUM:.+]] = graph.linear
  // CHECK: %[[GATE:.+]] = graph.sigmoid %[[SUM]]
  // CHECK: %[[GATED:.+]] = graph.mul %[[SUM]], %[[GATE]]
  // CHECK: %[[LESS:.+]] = graph.compare lt, %[[SUM]], %[[GATED]]
  // CHECK: kernel.yield %[[SUM]], %[[GATED]], %[[LESS]]
  // CHECK: return %[[Y]]#0, %[[Y]]#1, %[[Y]]#2
  %0 = graph.linear %x, %w : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  %1 = graph.sigmoid %0 : tensor<4x16xf32>
  %2 = graph.mul %0, %1 : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  %3 = graph.compare lt, %0, %2 : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xi1>
  return %0, %2, %3 : tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x16xi1>
}

// -----

// Two contractions never share a fusion; what both feed belongs to the first
// that can have it, and the second one's result is its operand.
// CHECK-LABEL: func.func @two_anchors
// CHECK-SAME: (%[[X:.+]]: tensor<4x8xf32>, %[[V:.+]]: tensor<8x8xf32>, %[[W:.+]]: tensor<8x8xf32>)
func.func @two_anchors(%x: tensor<4x8xf32>, %v: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: %[[RIGHT:.+]] = kernel.fusion (%{{.+}} = %[[X]] : {{.*}}, %{{.+}} = %[[W]] :
  // CHECK-NEXT: graph.linear
  // CHECK-NEXT: kernel.yield
  // CHECK: kernel.fusion (%{{.+}} = %[[X]] : {{.*}}, %{{.+}} = %[[V]] : {{.*}}, %[[RIGHT0:.+]] = %[[RIGHT]] :
  // CHECK-NEXT: %[[LEFT:.+]] = graph.linear
  // CHECK-NEXT: graph.add %[[LEFT]], %[[RIGHT0]]
  %0 = graph.linear %x, %v : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = graph.linear %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %2 = graph.add %0, %1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// The residual add needs the second linear, which needs the first fusion: a
// path leads out of that and back, so the add belongs to the second.
// CHECK-LABEL: func.func @convex
func.func @convex(%x: tensor<4x8xf32>, %v: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  // CHECK: %[[HIDDEN:.+]] = kernel.fusion
  // CHECK-NEXT: graph.linear
  // CHECK-NEXT: graph.relu
  // CHECK-NEXT: kernel.yield
  // CHECK: kernel.fusion (%[[H:.+]] = %[[HIDDEN]] :
  // CHECK-NEXT: %[[SUM:.+]] = graph.linear %[[H]]
  // CHECK-NEXT: graph.add %[[SUM]], %[[H]]
  %0 = graph.linear %x, %v : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = graph.relu %0 : tensor<4x8xf32>
  %2 = graph.linear %1, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %3 = graph.add %2, %1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// -----

// Each fusion alone would be convex, but both could not be ordered: the first
// linear takes the op that uses the second one, so the op that would make the
// second wait for the first stays with whom it does no harm.
// CHECK-LABEL: func.func @no_cycle
func.func @no_cycle(%x: tensor<4x8xf32>, %v: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  // CHECK: %[[SECOND:.+]] = kernel.fusion
  // CHECK-NEXT: graph.linear
  // CHECK-NEXT: kernel.yield
  // CHECK: kernel.fusion {{.*}} = %[[SECOND]] :
  // CHECK-NEXT: graph.linear
  // CHECK-NEXT: graph.add
  // CHECK-NEXT: graph.mul
  // CHECK-NEXT: kernel.yield
  %0 = graph.linear %x, %v : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = graph.linear %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %2 = graph.add %0, %1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = graph.mul %1, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %2, %3 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Another shape is another iteration space: what broadcasts the result up, and
// what is behind a reshape, is fused by itself. The reshape is a view between.
// CHECK-LABEL: func.func @spaces
func.func @spaces(%x: tensor<1x8xf32>, %w: tensor<16x8xf32>, %big: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<2x8xf32>) {
  // CHECK: %[[SUM:.+]] = kernel.fusion
  // CHECK-NEXT: graph.linear
  // CHECK-NEXT: kernel.yield
  // CHECK: kernel.fusion {{.*}} = %[[SUM]] :
  // CHECK-NEXT: graph.add
  // CHECK: %[[VIEW:.+]] = graph.reshape %[[SUM]]
  // CHECK: kernel.fusion (%{{.+}} = %[[VIEW]] :
  // CHECK-NEXT: graph.exp
  %0 = graph.linear %x, %w : (tensor<1x8xf32>, tensor<16x8xf32>) -> tensor<1x16xf32>
  %1 = graph.add %0, %big : (tensor<1x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  %2 = graph.reshape %0 : tensor<1x16xf32> to tensor<2x8xf32>
  %3 = graph.exp %2 : tensor<2x8xf32>
  return %1, %3 : tensor<4x16xf32>, tensor<2x8xf32>
}

// -----

// Pointwise ops without a contraction: connected and of one shape is one
// fusion, with as many results as are used; what is not connected is another.
// CHECK-LABEL: func.func @pointwise
func.func @pointwise(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  // CHECK: kernel.fusion
  // CHECK-NEXT: graph.log
  // CHECK-NEXT: kernel.yield
  // CHECK: kernel.fusion {{.*}} -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  // CHECK-NEXT: graph.exp
  // CHECK-NEXT: graph.add
  // CHECK-NEXT: graph.sub
  // CHECK-NEXT: kernel.yield
  %0 = graph.exp %x : tensor<4x8xf32>
  %1 = graph.log %y : tensor<4x8xf32>
  %2 = graph.add %0, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = graph.sub %0, %y : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %2, %3, %1 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A transpose is taken by the pointwise fusion that alone reads it; a
// contraction does not take it.
// CHECK-LABEL: func.func @transposes
func.func @transposes(%x: tensor<8x4xf32>, %w: tensor<4x8xf32>, %v: tensor<4x4xf32>) -> (tensor<4x8xf32>, tensor<8x4xf32>) {
  // CHECK: kernel.fusion
  // CHECK-NEXT: graph.transpose
  // CHECK-NEXT: graph.exp
  // CHECK-NEXT: kernel.yield
  // CHECK: %[[MOVED:.+]] = kernel.fusion
  // CHECK-NEXT: graph.transpose
  // CHECK-NEXT: kernel.yield
  // CHECK: kernel.fusion (%{{.+}} = %[[MOVED]] :
  // CHECK-NEXT: graph.linear
  %0 = graph.transpose %x [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %1 = graph.exp %0 : tensor<4x8xf32>
  %2 = graph.transpose %w [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %3 = graph.linear %2, %v : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  return %1, %3 : tensor<4x8xf32>, tensor<8x4xf32>
}

// -----

// Nothing is left of what nobody uses, and constants and views are no fusions.
// CHECK-LABEL: func.func @nothing
// CHECK-NEXT: graph.reshape
// CHECK-NEXT: graph.constant
// CHECK-NEXT: return
func.func @nothing(%x: tensor<4x8xf32>) -> (tensor<32xf32>, tensor<1xf32>) {
  %0 = graph.exp %x : tensor<4x8xf32>
  %1 = graph.relu %0 : tensor<4x8xf32>
  %2 = graph.reshape %x : tensor<4x8xf32> to tensor<32xf32>
  %c = graph.constant dense<1.0> : tensor<1xf32>
  return %2, %c : tensor<32xf32>, tensor<1xf32>
}

// -----

// Reductions are anchors: each takes what it reads and what follows in its
// shape, and two never share a fusion.
// CHECK-LABEL: func.func @reductions
func.func @reductions(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: kernel.fusion
  // CHECK-NEXT: graph.mul
  // CHECK-NEXT: graph.reduce mean
  // CHECK-NEXT: graph.rsqrt
  // CHECK-NEXT: kernel.yield
  // CHECK: kernel.fusion
  // CHECK-NEXT: graph.mul
  // CHECK-NEXT: graph.softmax
  // CHECK-NEXT: graph.exp
  // CHECK-NEXT: kernel.yield
  // CHECK-NOT: kernel.fusion
  %0 = graph.mul %x, %x : tensor<4x8xf32>
  %1 = graph.reduce mean, %0 [1] {keep_dims} : tensor<4x8xf32> -> tensor<4x1xf32>
  %2 = graph.rsqrt %1 : tensor<4x1xf32>
  %3 = graph.mul %x, %2 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %4 = graph.softmax %3 axis = 1 : tensor<4x8xf32>
  %5 = graph.exp %4 : tensor<4x8xf32>
  return %5 : tensor<4x8xf32>
}

// -----

// Whatever is pointwise follows its contraction, also through a predicate.
// CHECK-LABEL: func.func @predicates_and_rounding
// CHECK: kernel.fusion
// CHECK: graph.linear
// CHECK-NEXT: graph.mish
// CHECK-NEXT: graph.is_nan
// CHECK-NEXT: graph.not
// CHECK-NEXT: graph.round
// CHECK-NEXT: graph.select
// CHECK-NEXT: kernel.yield
// CHECK-NOT: kernel.fusion
func.func @predicates_and_rounding(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.linear %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = graph.mish %0 : tensor<4x8xf32>
  %2 = graph.is_nan %1 : tensor<4x8xf32> -> tensor<4x8xi1>
  %3 = graph.not %2 : tensor<4x8xi1>
  %4 = graph.round %1 : tensor<4x8xf32>
  %5 = graph.select %3, %4, %0 : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %5 : tensor<4x8xf32>
}

// -----

// Columns that take turns share the product's fusion, and what is made of them.
// CHECK-LABEL: func.func @turns
// CHECK:      kernel.fusion
// CHECK-NEXT: graph.linear
// CHECK-NEXT: graph.slice
// CHECK-NEXT: graph.slice
// CHECK-NEXT: graph.mul
// CHECK-NEXT: kernel.yield {{.*}} : tensor<4x3xf32>
// CHECK-NOT:  kernel.fusion
func.func @turns(%x: tensor<4x8xf32>, %w: tensor<6x8xf32>) -> tensor<4x3xf32> {
  %0 = graph.linear %x, %w : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
  %1 = graph.slice %0 [0, 0] to [4, 6] by [1, 2] : tensor<4x6xf32> -> tensor<4x3xf32>
  %2 = graph.slice %0 [0, 1] to [4, 6] by [1, 2] : tensor<4x6xf32> -> tensor<4x3xf32>
  %3 = graph.mul %1, %2 : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %3 : tensor<4x3xf32>
}

// -----

// A slice that is a view of the product's result stays outside.
// CHECK-LABEL: func.func @turns_of_one
// CHECK:      %[[L:.+]] = kernel.fusion
// CHECK-NEXT: graph.linear
// CHECK-NEXT: kernel.yield
// CHECK:      graph.slice %[[L]] [0, 0]
// CHECK:      kernel.fusion
// CHECK-NEXT: graph.slice {{.*}} [0, 1]
// CHECK-NEXT: graph.mul
func.func @turns_of_one(%x: tensor<1x8xf32>, %w: tensor<2x8xf32>) -> tensor<1x1xf32> {
  %0 = graph.linear %x, %w : (tensor<1x8xf32>, tensor<2x8xf32>) -> tensor<1x2xf32>
  %1 = graph.slice %0 [0, 0] to [1, 2] by [1, 2] : tensor<1x2xf32> -> tensor<1x1xf32>
  %2 = graph.slice %0 [0, 1] to [1, 2] by [1, 2] : tensor<1x2xf32> -> tensor<1x1xf32>
  %3 = graph.mul %1, %2 : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  return %3 : tensor<1x1xf32>
}
