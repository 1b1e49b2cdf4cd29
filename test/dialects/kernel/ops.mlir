// RUN: minic-opt %s | minic-opt | FileCheck %s
// RUN: minic-opt %s --mlir-print-op-generic | minic-opt | FileCheck %s

// A fusion with everything that it may carry, and one with nothing.
// CHECK-LABEL: func.func @fusion
func.func @fusion(%x: tensor<4x8xf32>, %w: tensor<16x8xf32, #kernel.layout<order = [0, 1], blocks = [[0, 8], [1, 2]], padded = [16, 8]>>) {
  // CHECK: %{{.+}}:2 = kernel.fusion (%[[X:.+]] = %{{.+}} : tensor<4x8xf32>, %[[W:.+]] = %{{.+}} : tensor<16x8xf32, #kernel.layout<order = [0, 1], blocks = {{\[\[}}0, 8], [1, 2]], padded = [16, 8]>>) -> (tensor<4x16xf32>, tensor<4x16xf32>)
  // CHECK-SAME: choice = #kernel.choice<parts = [<ops = [0, 1], impl = #kernel.impl<family = "gemm_packed", schedule = {mr = 8 : i64}>, operands = [unit, #kernel.layout<order = [1, 0], blocks = [], padded = [16, 8]>]>]>
  // CHECK-SAME: provenance = "test"
  // CHECK-NEXT: graph.linear %[[X]], %[[W]] : (tensor<4x8xf32>, tensor<16x8xf32>)
  %0:2 = kernel.fusion (%x0 = %x : tensor<4x8xf32>, %w0 = %w : tensor<16x8xf32, #kernel.layout<order = [0, 1], blocks = [[0, 8], [1, 2]], padded = [16, 8]>>) -> (tensor<4x16xf32>, tensor<4x16xf32>)
      attributes {provenance = "test", choice = #kernel.choice<parts = [
        #kernel.part<ops = [0, 1], impl = #kernel.impl<family = "gemm_packed", schedule = {mr = 8 : i64}>,
          operands = [unit, #kernel.layout<order = [1, 0], blocks = [], padded = [16, 8]>]>]>} {
    %1 = graph.linear %x0, %w0 : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
    %2 = graph.relu %1 : tensor<4x16xf32>
    kernel.yield %1, %2 : tensor<4x16xf32>, tensor<4x16xf32>
  }
  // CHECK: kernel.fusion () attributes {impl = #kernel.impl<family = "f", schedule = {}>} {
  kernel.fusion () attributes {impl = #kernel.impl<family = "f", schedule = {}>} {
    kernel.yield
  }
  return
}

// CHECK-LABEL: func.func @relayout
func.func @relayout(%x: tensor<4x9xf32>) {
  // CHECK: kernel.relayout %{{.+}} : tensor<4x9xf32> to tensor<4x9xf32, #kernel.layout<order = [1, 0], blocks = {{\[\[}}0, 2]], padded = [4, 16]>>
  %0 = kernel.relayout %x : tensor<4x9xf32> to tensor<4x9xf32, #kernel.layout<order = [1, 0], blocks = [[0, 2]], padded = [4, 16]>>
  return
}

// CHECK-LABEL: func.func @expand
func.func @expand(%x: tensor<4x8xf32>) {
  // CHECK: choice = #kernel.choice<parts = [<ops = [0, 1, 2, 3, 4, 5], {{.*}}>], expand = [1]>
  %0 = kernel.fusion (%x0 = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {choice = #kernel.choice<parts = [
        #kernel.part<ops = [0, 1, 2, 3, 4, 5], impl = #kernel.impl<family = "f", schedule = {}>, operands = [unit]>], expand = [1]>} {
    %1 = graph.relu %x0 : tensor<4x8xf32>
    %2 = graph.softmax %1 axis = 1 : tensor<4x8xf32>
    kernel.yield %2 : tensor<4x8xf32>
  }
  return
}
