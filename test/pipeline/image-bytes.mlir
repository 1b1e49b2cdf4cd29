// An image of bytes, NCHW: relaid, cast and normalized by one kernel, in front of a
// convolution of NHWC.
// RUN: minic %s --target=cuda:sm_90a --device-profile=h200 --assign-layouts=nhwc --compile-to=fuse -o - | FileCheck %s
// CHECK: kernel.fusion
// CHECK-NEXT: graph.transpose %{{.+}} [0, 2, 3, 1] : tensor<1x3x64x64xi8> -> tensor<1x64x64x3xi8>
// CHECK-NEXT: graph.cast %{{.+}} : tensor<1x64x64x3xi8> to tensor<1x64x64x3xbf16>
// CHECK-NEXT: graph.sub
// CHECK-NEXT: graph.mul
// CHECK-NEXT: kernel.yield
// CHECK: kernel.fusion
// CHECK-NEXT: graph.conv2d %{{.+}} {layout = "nhwc"

// RUN: minic %s --target=cpu -o %t.minic && minic-run %t.minic --check
// RUN: minic %s --target=cpu --assign-layouts=nhwc -o %t.minic && minic-run %t.minic --check
func.func @main(%bytes: tensor<1x3x64x64xi8>) -> tensor<1x16xbf16> {
  %mean = graph.constant dense<[[[2.0]], [[3.0]], [[4.0]]]> : tensor<3x1x1xbf16>
  %scale = graph.constant dense<[[[0.02]], [[0.03]], [[0.01]]]> : tensor<3x1x1xbf16>
  %w = graph.constant dense<0.1> : tensor<16x3x3x3xbf16>
  %v = graph.constant dense<0.05> : tensor<16x16x3x3xbf16>
  %0 = graph.cast %bytes : tensor<1x3x64x64xi8> to tensor<1x3x64x64xbf16>
  %1 = graph.sub %0, %mean : (tensor<1x3x64x64xbf16>, tensor<3x1x1xbf16>) -> tensor<1x3x64x64xbf16>
  %2 = graph.mul %1, %scale : (tensor<1x3x64x64xbf16>, tensor<3x1x1xbf16>) -> tensor<1x3x64x64xbf16>
  %3 = graph.conv2d %2, %w {strides = array<i64: 2, 2>} : (tensor<1x3x64x64xbf16>, tensor<16x3x3x3xbf16>) -> tensor<1x16x31x31xbf16>
  %4 = graph.relu %3 : tensor<1x16x31x31xbf16>
  %5 = graph.conv2d %4, %v {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x16x31x31xbf16>, tensor<16x16x3x3xbf16>) -> tensor<1x16x31x31xbf16>
  %6 = graph.reduce mean, %5 [2, 3] : tensor<1x16x31x31xbf16> -> tensor<1x16xbf16>
  return %6 : tensor<1x16xbf16>
}
