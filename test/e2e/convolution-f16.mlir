// RUN: %check-model %s %t.minic
// RUN: %check-model %s %t.minic --conv-backends=generated --threads=2
// RUN: not minic %s -o %t.minic --conv-backends=library-fused 2>&1 | FileCheck %s
// CHECK: error: {{.*}}unsupported: nothing implements this fusion: onednn_conv_fused: oneDNN 2.6.3 has no f16

func.func @main(%x: tensor<2x7x7x16xf16>, %w: tensor<40x16x3x3xf16>) -> tensor<2x7x7x40xf16> {
  %0 = graph.conv2d %x, %w {layout = "nhwc", pads = array<i64: 1, 1, 1, 1>} : (tensor<2x7x7x16xf16>, tensor<40x16x3x3xf16>) -> tensor<2x7x7x40xf16>
  %1 = graph.relu %0 : tensor<2x7x7x40xf16>
  return %1 : tensor<2x7x7x40xf16>
}
