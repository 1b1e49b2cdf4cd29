// The instructions of convolutions: what copies windows, and what depthwise
// kernels do instead. None uses local memory or spills.
//
// RUN: minic-emit-ptx %s --arch=sm_80 > %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=LEAN --implicit-check-not=.local --implicit-check-not='{{[1-9][0-9]* bytes (spilled|of stack)}}'

// LEAN: {{bytes of stack|nothing here assembles PTX}}

// Windows go by 16 bytes of one tap, where no byte of what is a pad is read;
// the filter's rows are as long as K.
// CHECK-LABEL: .entry channels(
// CHECK: cp.async.cg.shared.global {{.*}}, 16, %r{{[0-9]+}};
// CHECK: cp.async.cg.shared.global {{.*}}, 16;
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
plan.kernel @channels target "cuda" entries ["channels"] {
  ^bb0(%x0: tensor<8x14x14x256xbf16>, %w0: tensor<256x256x3x3xbf16, #kernel.layout<order = [0, 2, 3, 1], blocks = [], padded = [256, 256, 3, 3]>>):
    %0 = kernel.fusion (%x = %x0 : tensor<8x14x14x256xbf16>, %w = %w0 : tensor<256x256x3x3xbf16, #kernel.layout<order = [0, 2, 3, 1], blocks = [], padded = [256, 256, 3, 3]>>) -> tensor<8x14x14x256xbf16> attributes {impl = #kernel.impl<family = "conv_sm80", schedule = {bm = 128 : i64, bn = 128 : i64, bk = 64 : i64, warps_m = 2 : i64, warps_n = 2 : i64, stages = 3 : i64}>} {
      %1 = graph.conv2d %x, %w {layout = "nhwc", pads = array<i64: 1, 1, 1, 1>} : (tensor<8x14x14x256xbf16>, tensor<256x256x3x3xbf16>) -> tensor<8x14x14x256xbf16>
      %2 = graph.relu %1 : tensor<8x14x14x256xbf16>
      kernel.yield %2 : tensor<8x14x14x256xbf16>
    }
}

// Without pads and cut tiles there is nothing to ask.
// CHECK-LABEL: .entry inside(
// CHECK-NOT: cp.async.cg.shared.global {{.*}}, 16, %r{{[0-9]+}};
// CHECK: mma.sync
plan.kernel @inside target "cuda" entries ["inside"] {
  ^bb0(%x0: tensor<8x16x16x256xbf16>, %w0: tensor<256x256x1x1xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<8x16x16x256xbf16>, %w = %w0 : tensor<256x256x1x1xbf16>) -> tensor<8x8x8x256xbf16> attributes {impl = #kernel.impl<family = "conv_sm80", schedule = {bm = 128 : i64, bn = 128 : i64, bk = 64 : i64, warps_m = 2 : i64, warps_n = 2 : i64, stages = 3 : i64}>} {
      %1 = graph.conv2d %x, %w {layout = "nhwc", strides = array<i64: 2, 2>} : (tensor<8x16x16x256xbf16>, tensor<256x256x1x1xbf16>) -> tensor<8x8x8x256xbf16>
      kernel.yield %1 : tensor<8x8x8x256xbf16>
    }
}

// Three channels are gathered, loaded ahead of a stage's products and stored
// behind them.
// CHECK-LABEL: .entry gathered(
// CHECK: ld.global.b16
// CHECK: cp.async.commit_group
// CHECK: ld.global.b16
// CHECK: mma.sync
// CHECK-NOT: ld.global.b16
// CHECK: st.shared.v{{[24]}}
plan.kernel @gathered target "cuda" entries ["gathered"] {
  ^bb0(%x0: tensor<8x3x64x64xbf16>, %w0: tensor<64x3x7x7xbf16, #kernel.layout<order = [0, 2, 3, 1], blocks = [], padded = [64, 3, 7, 8]>>):
    %0 = kernel.fusion (%x = %x0 : tensor<8x3x64x64xbf16>, %w = %w0 : tensor<64x3x7x7xbf16, #kernel.layout<order = [0, 2, 3, 1], blocks = [], padded = [64, 3, 7, 8]>>) -> tensor<8x64x32x32xbf16> attributes {impl = #kernel.impl<family = "conv_sm80", schedule = {bm = 64 : i64, bn = 64 : i64, bk = 32 : i64, warps_m = 2 : i64, warps_n = 2 : i64, stages = 3 : i64}>} {
      %1 = graph.conv2d %x, %w {strides = array<i64: 2, 2>, pads = array<i64: 3, 3, 3, 3>} : (tensor<8x3x64x64xbf16>, tensor<64x3x7x7xbf16>) -> tensor<8x64x32x32xbf16>
      kernel.yield %1 : tensor<8x64x32x32xbf16>
    }
}

// One channel per group needs no tensor cores: vectors of channels, one load
// for a column of a line.
// CHECK-LABEL: .entry depthwise(
// CHECK-NOT: mma.sync
// CHECK: ld.global.v4.b32
// CHECK: fma.rn.f32
// CHECK: st.global.v4.b32
plan.kernel @depthwise target "cuda" entries ["depthwise"] {
  ^bb0(%x0: tensor<8x14x14x64xbf16>, %w0: tensor<64x1x3x3xbf16, #kernel.layout<order = [2, 3, 1, 0], blocks = [], padded = [64, 1, 3, 3]>>):
    %0 = kernel.fusion (%x = %x0 : tensor<8x14x14x64xbf16>, %w = %w0 : tensor<64x1x3x3xbf16, #kernel.layout<order = [2, 3, 1, 0], blocks = [], padded = [64, 1, 3, 3]>>) -> tensor<8x14x14x64xbf16> attributes {impl = #kernel.impl<family = "conv_depthwise", schedule = {channels = 8 : i64, pixels = 4 : i64, threads = 128 : i64}>} {
      %1 = graph.conv2d %x, %w {layout = "nhwc", groups = 64 : i64, pads = array<i64: 1, 1, 1, 1>} : (tensor<8x14x14x64xbf16>, tensor<64x1x3x3xbf16>) -> tensor<8x14x14x64xbf16>
      kernel.yield %1 : tensor<8x14x14x64xbf16>
    }
}
