// RUN: minic-opt %s --split-input-file --kernel-fuse | FileCheck %s

// A contraction takes pointwise ops that only it uses, whatever they cost:
// before either matrix, and beside it.
// CHECK-LABEL: func.func @before_and_beside
func.func @before_and_beside(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>, %a: tensor<4x16xf32>, %b: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // CHECK-NEXT: kernel.fusion
  // CHECK-NEXT: %[[LEFT:.+]] = graph.tanh
  // CHECK-NEXT: %[[RIGHT:.+]] = graph.abs
  // CHECK-NEXT: graph.linear %[[LEFT]], %[[RIGHT]]
  // CHECK-NEXT: graph.exp
  // CHECK-NEXT: graph.mul
  // CHECK-NEXT: graph.add
  // CHECK-NEXT: kernel.yield
  %0 = graph.tanh %x : tensor<4x8xf32>
  %positive = graph.abs %w : tensor<16x8xf32>
  %1 = graph.linear %0, %positive : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  %2 = graph.exp %a : tensor<4x16xf32>
  %3 = graph.mul %2, %b : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  %4 = graph.add %1, %3 : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return %4 : tensor<4x16xf32>
}

// -----

// A chain before a contraction whose value the epilogue reads as well, with a
// vector that is computed once where that is not cheap.
// CHECK-LABEL: func.func @prologue
// CHECK-SAME: (%[[X:.+]]: tensor<4x8xf32>, %{{.+}}: tensor<8x8xbf16>, %[[V:.+]]: tensor<8xf32>)
func.func @prologue(%x: tensor<4x8xf32>, %w: tensor<8x8xbf16>, %v: tensor<8xf32>) -> tensor<4x8xbf16> {
  // CHECK-NEXT: %[[EXP:.+]] = kernel.fusion (%{{.+}} = %[[V]] :
  // CHECK-NEXT: graph.exp
  // CHECK: kernel.fusion ({{.*}} = %[[X]] : {{.*}} = %[[EXP]] :
  // CHECK-NEXT: graph.mul
  // CHECK-NEXT: %[[SHARED:.+]] = graph.cast
  // CHECK-NEXT: %[[SUM:.+]] = graph.linear %[[SHARED]]
  // CHECK-NEXT: graph.add %[[SUM]], %[[SHARED]]
  // CHECK-NEXT: kernel.yield
  %0 = graph.exp %v : tensor<8xf32>
  %1 = graph.mul %x, %0 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %2 = graph.cast %1 : tensor<4x8xf32> to tensor<4x8xbf16>
  %3 = graph.linear %2, %w : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
  %4 = graph.add %3, %2 : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  return %4 : tensor<4x8xbf16>
}

// -----

// What two contractions read, what must be in memory anyway, and what feeds a
// bias are not taken.
// CHECK-LABEL: func.func @no_prologue
func.func @no_prologue(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %v: tensor<16x8xf32>, %w: tensor<16x8xf32>, %b: tensor<16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x8xf32>) {
  // CHECK-COUNT-1: graph.relu
  // CHECK-NEXT: kernel.yield
  // CHECK-COUNT-1: graph.neg
  // CHECK-NEXT: kernel.yield
  // CHECK-COUNT-1: graph.abs
  // CHECK-NEXT: kernel.yield
  // CHECK-COUNT-3: graph.linear
  // CHECK-NOT: graph.relu
  %0 = graph.relu %x : tensor<4x8xf32>
  %1 = graph.neg %y : tensor<4x8xf32>
  %2 = graph.abs %b : tensor<16xf32>
  %3 = graph.linear %0, %v : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  %4 = graph.linear %0, %w : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  %5 = graph.linear %1, %w, %2 : (tensor<4x8xf32>, tensor<16x8xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  return %3, %4, %5, %1 : tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x8xf32>
}

// -----

// A producer of a smaller shape is taken where it is cheap (the cast), and
// computed once where it is not (the exp).
// CHECK-LABEL: func.func @smaller
// CHECK-SAME: (%{{.+}}, %{{.+}}, %[[SCALE:.+]]: tensor<16xf32>, %[[BIAS:.+]]: tensor<16xbf16>)
func.func @smaller(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>, %scale: tensor<16xf32>, %bias: tensor<16xbf16>) -> tensor<4x16xf32> {
  // CHECK-NEXT: %[[EXP:.+]] = kernel.fusion (%{{.+}} = %[[SCALE]] :
  // CHECK-NEXT: graph.exp
  // CHECK: kernel.fusion {{.*}}, %{{.+}} = %[[EXP]] : {{.*}}, %[[BIAS0:.+]] = %[[BIAS]] :
  // CHECK: graph.cast %[[BIAS0]]
  %0 = graph.linear %x, %w : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  %1 = graph.exp %scale : tensor<16xf32>
  %2 = graph.mul %0, %1 : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %3 = graph.cast %bias : tensor<16xbf16> to tensor<16xf32>
  %4 = graph.add %2, %3 : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  return %4 : tensor<4x16xf32>
}

// -----

// A cheap producer that reads no more than it writes is cloned into all of its
// users; the original is gone.
// CHECK-LABEL: func.func @cloned
func.func @cloned(%x: tensor<4x8xf32>, %v: tensor<16x8xf32>, %w: tensor<16x8xf32>, %narrow: tensor<4x16xbf16>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  // CHECK-NEXT: kernel.fusion
  // CHECK-NEXT: graph.cast
  // CHECK-NEXT: graph.linear
  // CHECK-NEXT: graph.add
  // CHECK: kernel.fusion
  // CHECK-NEXT: graph.cast
  // CHECK-NEXT: graph.linear
  // CHECK-NEXT: graph.mul
  // CHECK-NOT: graph.cast
  %0 = graph.cast %narrow : tensor<4x16xbf16> to tensor<4x16xf32>
  %1 = graph.linear %x, %v : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  %2 = graph.linear %x, %w : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  %3 = graph.add %1, %0 : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  %4 = graph.mul %2, %0 : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return %3, %4 : tensor<4x16xf32>, tensor<4x16xf32>
}

// -----

// Not cloned: an op that reads more than it writes, and one whose value must be
// in memory anyway.
// CHECK-LABEL: func.func @not_cloned
func.func @not_cloned(%x: tensor<4x8xf32>, %v: tensor<8x8xf32>, %w: tensor<8x8xf32>, %a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  // CHECK-COUNT-1: graph.mul
  // CHECK-NOT: graph.mul
  // CHECK-COUNT-1: graph.neg
  // CHECK-NOT: graph.neg
  %0 = graph.linear %x, %v : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = graph.linear %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %2 = graph.mul %a, %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = graph.add %0, %2 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = graph.add %1, %2 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %5 = graph.neg %a : tensor<4x8xf32>
  %6 = graph.add %4, %5 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %7 = graph.linear %5, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %3, %6, %7 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}
