// RUN: minic-opt %s --split-input-file --kernel-realize | FileCheck %s

#packed = #kernel.layout<order = [0, 1], blocks = [[0, 32]], padded = [32, 8]>
#impl = #kernel.impl<family = "packed", schedule = {}>
#one_part = #kernel.choice<parts = [
  #kernel.part<ops = [0, 1], impl = #impl, operands = [unit, #packed]>]>

// One part is the whole body; the weight goes through a relayout, which two
// fusions share.
// CHECK-LABEL: func.func @fused
func.func @fused(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  // CHECK: %[[PACKED:.+]] = kernel.relayout %{{.*}} : tensor<16x8xf32> to tensor<16x8xf32, #{{.*}}>
  // CHECK-NOT: kernel.relayout
  // CHECK: kernel.fusion (%{{.+}} = %{{.+}} : tensor<4x8xf32>, %{{.+}} = %[[PACKED]] :
  // CHECK-SAME: impl = #kernel.impl<family = "packed", schedule = {}>
  // CHECK-SAME: provenance = "why"
  // CHECK-NEXT: graph.linear
  // CHECK-NEXT: graph.relu
  // CHECK: kernel.fusion {{.*}} = %[[PACKED]] :
  %0 = kernel.fusion (%x0 = %x : tensor<4x8xf32>, %w0 = %w : tensor<16x8xf32>) -> tensor<4x16xf32>
      attributes {choice = #one_part, provenance = "why"} {
    %1 = graph.linear %x0, %w0 : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
    %2 = graph.relu %1 : tensor<4x16xf32>
    kernel.yield %2 : tensor<4x16xf32>
  }
  %3 = kernel.fusion (%x0 = %x : tensor<4x8xf32>, %w0 = %w : tensor<16x8xf32>) -> tensor<4x16xf32>
      attributes {choice = #one_part} {
    %4 = graph.linear %x0, %w0 : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
    %5 = graph.tanh %4 : tensor<4x16xf32>
    kernel.yield %5 : tensor<4x16xf32>
  }
  return %0, %3 : tensor<4x16xf32>, tensor<4x16xf32>
}

// -----

#library = #kernel.impl<family = "library", schedule = {}>
#pointwise = #kernel.impl<family = "pointwise", schedule = {}>

// Parts come in any order and run in the order of their values. What one part
// hands to the other, and what is also yielded, becomes a result.
// CHECK-LABEL: func.func @parts
// CHECK-SAME: (%[[X:.+]]: tensor<4x8xf32>, %[[W:.+]]: tensor<16x8xf32>, %[[R:.+]]: tensor<4x16xf32>)
func.func @parts(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>, %r: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  // CHECK: %[[SUM:.+]] = kernel.fusion (%{{.+}} = %[[X]] : {{.*}}, %{{.+}} = %[[W]] : {{.*}}) -> tensor<4x16xf32> attributes {impl = #kernel.impl<family = "library"
  // CHECK: %[[REST:.+]]:2 = kernel.fusion (%{{.+}} = %[[SUM]] : {{.*}}, %{{.+}} = %[[R]] :
  // CHECK-SAME: impl = #kernel.impl<family = "pointwise"
  // CHECK: return %[[REST]]#0, %[[REST]]#1
  %0:2 = kernel.fusion (%x0 = %x : tensor<4x8xf32>, %w0 = %w : tensor<16x8xf32>, %r0 = %r : tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>)
      attributes {choice = #kernel.choice<parts = [
        #kernel.part<ops = [1, 2], impl = #pointwise, operands = [unit, unit]>,
        #kernel.part<ops = [0], impl = #library, operands = [unit, unit]>]>} {
    %1 = graph.linear %x0, %w0 : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
    %2 = graph.add %1, %r0 : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    %3 = graph.relu %2 : tensor<4x16xf32>
    kernel.yield %2, %3 : tensor<4x16xf32>, tensor<4x16xf32>
  }
  return %0#0, %0#1 : tensor<4x16xf32>, tensor<4x16xf32>
}

// -----

// A fusion that already has an implementation stays as it is.
// CHECK-LABEL: func.func @already
// CHECK: kernel.fusion {{.*}} attributes {impl = #kernel.impl<family = "kept", schedule = {}>}
func.func @already(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = kernel.fusion (%x0 = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {impl = #kernel.impl<family = "kept", schedule = {}>} {
    %1 = graph.exp %x0 : tensor<4x8xf32>
    kernel.yield %1 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

#impl = #kernel.impl<family = "f", schedule = {}>

// Named ops that the choice expands give way to their stages, which parts then
// name; the scores of a bf16 softmax are f32 until the end.
// CHECK-LABEL: func.func @expand
func.func @expand(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  // CHECK: %[[STATISTICS:.+]]:2 = kernel.fusion ({{.*}}) -> (tensor<4x8xf32>, tensor<4x1xf32>)
  // CHECK-NEXT: graph.relu
  // CHECK-NEXT: graph.cast %{{.+}} : tensor<4x8xbf16> to tensor<4x8xf32>
  // CHECK-NEXT: graph.reduce max, %{{.+}} [1] {keep_dims}
  // CHECK-NEXT: graph.sub
  // CHECK-NEXT: graph.exp
  // CHECK-NEXT: graph.reduce sum, %{{.+}} [1] {keep_dims}
  // CHECK-NEXT: kernel.yield
  // CHECK: kernel.fusion (%{{.+}} = %[[STATISTICS]]#0 : {{.*}}, %{{.+}} = %[[STATISTICS]]#1 :
  // CHECK-NEXT: graph.div
  // CHECK-NEXT: graph.cast %{{.+}} : tensor<4x8xf32> to tensor<4x8xbf16>
  // CHECK-NEXT: kernel.yield
  %0 = kernel.fusion (%x0 = %x : tensor<4x8xbf16>) -> tensor<4x8xbf16>
      attributes {choice = #kernel.choice<parts = [
        #kernel.part<ops = [0, 1, 2, 3, 4, 5], impl = #impl, operands = [unit]>,
        #kernel.part<ops = [6, 7], impl = #impl, operands = [unit, unit]>], expand = [1]>} {
    %1 = graph.relu %x0 : tensor<4x8xbf16>
    %2 = graph.softmax %1 axis = 1 : tensor<4x8xbf16>
    kernel.yield %2 : tensor<4x8xbf16>
  }
  return %0 : tensor<4x8xbf16>
}
