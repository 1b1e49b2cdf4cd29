// Windows that cp.async copies are multiplied by wgmma.
//
// RUN: minic-emit-ptx %s --arch=sm_90a > %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx --implicit-check-not=.local --implicit-check-not='{{[1-9][0-9]* bytes (spilled|of stack)}}'

// CHECK-LABEL: .entry channels(
// CHECK: cp.async.cg.shared.global {{.*}}, 16, %r{{[0-9]+}};
// CHECK: fence.proxy.async
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
plan.kernel @channels target "cuda" entries ["channels"] {
  ^bb0(%x0: tensor<8x14x14x256xbf16>, %w0: tensor<256x256x3x3xbf16, #kernel.layout<order = [0, 2, 3, 1], blocks = [], padded = [256, 256, 3, 3]>>):
    %0 = kernel.fusion (%x = %x0 : tensor<8x14x14x256xbf16>, %w = %w0 : tensor<256x256x3x3xbf16, #kernel.layout<order = [0, 2, 3, 1], blocks = [], padded = [256, 256, 3, 3]>>) -> tensor<8x14x14x256xbf16> attributes {impl = #kernel.impl<family = "conv_sm90", schedule = {bm = 128 : i64, bn = 128 : i64, bk = 64 : i64, warpgroups_m = 2 : i64, stages = 4 : i64}>} {
      %1 = graph.conv2d %x, %w {layout = "nhwc", pads = array<i64: 1, 1, 1, 1>} : (tensor<8x14x14x256xbf16>, tensor<256x256x3x3xbf16>) -> tensor<8x14x14x256xbf16>
      %2 = graph.relu %1 : tensor<8x14x14x256xbf16>
      kernel.yield %2 : tensor<8x14x14x256xbf16>
    }
}
