// A product of a matrix and few rows takes the norm of these rows. Others leave
// it to itself, as does a norm that more than the product reads.
//
// RUN: minic-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(kernel-fuse{norm-rows=8}))' | FileCheck %s --check-prefixes=CHECK,ON
// RUN: minic-opt %s --split-input-file --kernel-fuse | FileCheck %s --check-prefixes=CHECK,OFF
// RUN: minic-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(kernel-fuse{norm-rows=8 prologues=false}))' | FileCheck %s --check-prefixes=CHECK,OFF

// CHECK-LABEL: func.func @decode
func.func @decode(%x: tensor<1x1x16xbf16>, %g: tensor<16xbf16>, %b: tensor<16xbf16>, %w: tensor<32x16xbf16>) -> tensor<1x1x32xbf16> {
  // ON: kernel.fusion
  // ON-NEXT: %[[N:.*]] = graph.layer_norm
  // ON-NEXT: %[[L:.*]] = graph.linear %[[N]]
  // ON-NEXT: graph.gelu %[[L]]
  // ON-NOT: kernel.fusion
  // OFF-COUNT-2: kernel.fusion
  %0 = graph.layer_norm %x scale %g bias %b axis = 2 : (tensor<1x1x16xbf16>, tensor<16xbf16>, tensor<16xbf16>) -> tensor<1x1x16xbf16>
  %1 = graph.linear %0, %w : (tensor<1x1x16xbf16>, tensor<32x16xbf16>) -> tensor<1x1x32xbf16>
  %2 = graph.gelu %1 : tensor<1x1x32xbf16>
  // CHECK: return
  return %2 : tensor<1x1x32xbf16>
}

// -----

// With the pointwise ops on both sides of the norm, before a matmul.
// CHECK-LABEL: func.func @neighbours
func.func @neighbours(%x: tensor<8x16xf32>, %r: tensor<8x16xf32>, %w: tensor<16x32xbf16>) -> tensor<8x32xbf16> {
  // ON: kernel.fusion
  // ON-NEXT: graph.add
  // ON-NEXT: graph.rms_norm
  // ON-NEXT: graph.cast
  // ON-NEXT: graph.matmul
  // ON-NOT: kernel.fusion
  %0 = graph.add %x, %r : tensor<8x16xf32>
  %1 = graph.rms_norm %0 axis = 1 : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %2 = graph.cast %1 : tensor<8x16xf32> to tensor<8x16xbf16>
  %3 = graph.matmul %2, %w : (tensor<8x16xbf16>, tensor<16x32xbf16>) -> tensor<8x32xbf16>
  // CHECK: return
  return %3 : tensor<8x32xbf16>
}

// -----

// Nine rows.
// CHECK-LABEL: func.func @rows
func.func @rows(%x: tensor<3x3x16xbf16>, %w: tensor<32x16xbf16>) -> tensor<3x3x32xbf16> {
  // CHECK: kernel.fusion
  // CHECK-NEXT: graph.layer_norm
  // CHECK-NEXT: kernel.yield
  // CHECK: kernel.fusion
  // CHECK-NEXT: graph.linear
  %0 = graph.layer_norm %x axis = 2 : (tensor<3x3x16xbf16>) -> tensor<3x3x16xbf16>
  %1 = graph.linear %0, %w : (tensor<3x3x16xbf16>, tensor<32x16xbf16>) -> tensor<3x3x32xbf16>
  return %1 : tensor<3x3x32xbf16>
}

// -----

// Two products read the norm.
// CHECK-LABEL: func.func @shared
func.func @shared(%x: tensor<1x16xbf16>, %v: tensor<32x16xbf16>, %w: tensor<32x16xbf16>) -> (tensor<1x32xbf16>, tensor<1x32xbf16>) {
  // CHECK: kernel.fusion
  // CHECK-NEXT: graph.rms_norm
  // CHECK-NEXT: kernel.yield
  %0 = graph.rms_norm %x axis = 1 : (tensor<1x16xbf16>) -> tensor<1x16xbf16>
  %1 = graph.linear %0, %v : (tensor<1x16xbf16>, tensor<32x16xbf16>) -> tensor<1x32xbf16>
  %2 = graph.linear %0, %w : (tensor<1x16xbf16>, tensor<32x16xbf16>) -> tensor<1x32xbf16>
  return %1, %2 : tensor<1x32xbf16>, tensor<1x32xbf16>
}

// -----

// Somebody else reads the sum that is normed, or the norm is of several
// dimensions, or it makes the weights.
// CHECK-LABEL: func.func @others
func.func @others(%x: tensor<2x16xbf16>, %r: tensor<2x16xbf16>, %y: tensor<1x2x16xbf16>, %w: tensor<32x16xbf16>) -> (tensor<2x16xbf16>, tensor<2x32xbf16>, tensor<1x2x32xbf16>, tensor<2x32xbf16>) {
  // CHECK: graph.layer_norm %{{.*}} axis = 1 : (tensor<2x16xbf16>)
  // CHECK-NEXT: kernel.yield
  // CHECK: kernel.fusion
  // CHECK-NEXT: graph.linear
  // CHECK: graph.layer_norm %{{.*}} axis = 1 : (tensor<1x2x16xbf16>)
  // CHECK-NEXT: kernel.yield
  // CHECK: kernel.fusion
  // CHECK-NEXT: graph.linear
  // CHECK: graph.rms_norm
  // CHECK-NEXT: kernel.yield
  // CHECK: kernel.fusion
  // CHECK-NEXT: graph.linear
  %0 = graph.add %x, %r : tensor<2x16xbf16>
  %1 = graph.layer_norm %0 axis = 1 : (tensor<2x16xbf16>) -> tensor<2x16xbf16>
  %2 = graph.linear %1, %w : (tensor<2x16xbf16>, tensor<32x16xbf16>) -> tensor<2x32xbf16>
  %3 = graph.layer_norm %y axis = 1 : (tensor<1x2x16xbf16>) -> tensor<1x2x16xbf16>
  %4 = graph.linear %3, %w : (tensor<1x2x16xbf16>, tensor<32x16xbf16>) -> tensor<1x2x32xbf16>
  %5 = graph.rms_norm %w axis = 1 : (tensor<32x16xbf16>) -> tensor<32x16xbf16>
  %6 = graph.linear %x, %5 : (tensor<2x16xbf16>, tensor<32x16xbf16>) -> tensor<2x32xbf16>
  return %0, %2, %4, %6 : tensor<2x16xbf16>, tensor<2x32xbf16>, tensor<1x2x32xbf16>, tensor<2x32xbf16>
}
