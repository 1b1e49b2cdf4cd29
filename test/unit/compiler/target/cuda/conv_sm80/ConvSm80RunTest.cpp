// SPDX-License-Identifier: Apache-2.0
//
// Kernels of conv_sm80 run by the interpreter and compared with the reference:
// windows, strides, pads, dilations, groups, few channels, both layouts.

#include "compiler/target/cuda/conv_sm80/ConvSm80Family.h"
#include "compiler/target/cuda/gemm_sm80/GemmSm80Geometry.h"
#include "test/unit/compiler/target/cuda/gemm/ConvolutionCases.h"

#include <gtest/gtest.h>

namespace minic::cuda {
namespace {

GemmSm80Schedule schedule(int64_t bm = 32, int64_t bn = 32, int64_t bk = 32,
                          int64_t stages = 3, int64_t splitK = 1) {
  GemmSm80Schedule made;
  made.bm = bm, made.bn = bn, made.bk = bk;
  made.warpsM = 2, made.warpsN = 2, made.warpsK = 1;
  made.stages = stages, made.splitK = splitK, made.convolves = true;
  return made;
}

void check(const ConvCase &conv, const GemmSm80Schedule &one = schedule(),
           Behind behind = Behind::Nothing) {
  checkConvolution<GemmSm80Geometry>(conv, ConvSm80Family(), one, behind);
}

TEST(ConvSm80Run, OneTapInAStage) {
  check(padded(32, 40));
  check(padded(64, 24), schedule(32, 32, 32, 4), Behind::Residual);
  check(padded(64, 40, true, "f16"), schedule(32, 64, 64, 2), Behind::Relu);
}

TEST(ConvSm80Run, SeveralTapsInAStage) {
  for (int64_t c : {8, 16, 24, 48}) {
    check(padded(c, 24));
  }
  check(padded(8, 24), schedule(32, 32, 64, 3), Behind::Relu);
}

TEST(ConvSm80Run, NarrowCopies) {
  for (int64_t c : {2, 4, 6, 12, 20}) {
    check(padded(c, 24));
    check(padded(c, 9, false), schedule(), Behind::Relu);
  }
}

TEST(ConvSm80Run, GathersFewChannels) {
  for (int64_t c : {1, 3, 5}) {
    check(padded(c, 24));
    check(padded(c, 24), schedule(32, 32, 64, 2), Behind::Residual);
    check(padded(c, 9, false), schedule(), Behind::Relu);
  }
  ConvCase first = {.n = 2,
                    .c = 3,
                    .h = 13,
                    .w = 11,
                    .k = 16,
                    .r = 7,
                    .s = 7,
                    .strideH = 2,
                    .strideW = 2,
                    .top = 3,
                    .left = 3,
                    .bottom = 3,
                    .right = 3,
                    .dtype = "bf16"};
  check(first);
  check(first, schedule(32, 32, 32, 3, 2));
  first.nhwc = false;
  check(first);
}

/// More threads than rows of a tile have elements to gather: those without one
/// read nothing outside of the images.
TEST(ConvSm80Run, GathersFewRows) {
  ConvCase conv = padded(3, 16);
  conv.n = 1;
  conv.h = conv.w = 4;
  GemmSm80Schedule one = schedule(16, 64, 32);
  one.warpsM = 1, one.warpsN = 4;
  check(conv, one);
}

TEST(ConvSm80Run, PaddedChannels) {
  GemmSm80Schedule one = schedule();
  one.padLhs = true;
  for (bool nhwc : {true, false}) {
    for (int64_t c : {1, 3, 7, 12}) {
      check(padded(c, 24, nhwc), one);
    }
  }
}

TEST(ConvSm80Run, Nchw) {
  check(padded(16, 24, false));
  check(padded(32, 40, false), schedule(32, 32, 32, 2), Behind::Residual);
  ConvCase wide = padded(16, 24, false);
  wide.w = 16;
  check(wide, schedule(64, 32, 32, 3), Behind::Residual);
}

TEST(ConvSm80Run, StridesAndDilations) {
  for (int64_t kernel = 1; kernel <= 7; ++kernel) {
    for (int64_t stride = 1; stride <= 3; ++stride) {
      if (kernel == 1 && stride == 1) {
        continue;
      }
      bool nhwc = (kernel + stride) % 3 != 0;
      ConvCase conv = {.n = 1,
                       .c = 8,
                       .h = 15,
                       .w = 13,
                       .k = 11,
                       .r = kernel,
                       .s = kernel == 7 ? 5 : kernel,
                       .strideH = stride,
                       .strideW = 1 + stride % 2,
                       .top = kernel / 2,
                       .left = kernel / 3,
                       .bottom = 1,
                       .right = kernel / 2,
                       .nhwc = nhwc,
                       .dtype = "bf16"};
      check(conv);
      if (kernel > 1 && kernel < 5) {
        conv.dilationH = 2, conv.dilationW = 3;
        check(conv, schedule(), Behind::Relu);
      }
    }
  }
}

TEST(ConvSm80Run, MoreTapsThanAMaskHas) {
  ConvCase conv = padded(8, 9);
  conv.r = 7, conv.s = 6, conv.top = conv.bottom = 3;
  conv.left = conv.right = 2;
  check(conv);
}

TEST(ConvSm80Run, Groups) {
  for (bool nhwc : {true, false}) {
    ConvCase conv = padded(32, 24, nhwc);
    conv.groups = 2;
    check(conv, schedule(), Behind::Residual);
    conv.c = 12, conv.groups = 4;
    check(conv, schedule(), Behind::Relu);
    conv.c = 9, conv.k = 15, conv.groups = 3;
    check(conv, schedule(), Behind::Relu);
  }
}

TEST(ConvSm80Run, SplitK) {
  check(padded(32, 24), schedule(32, 32, 32, 3, 3), Behind::Residual);
  check(padded(16, 24, false), schedule(32, 32, 32, 3, 2), Behind::Relu);
  GemmSm80Schedule cluster = schedule(32, 32, 64, 3, 2);
  cluster.clustered = true;
  ConvCase conv = padded(64, 24);
  conv.r = 2;
  check(conv, cluster, Behind::Relu);
}

TEST(ConvSm80Run, Float32) {
  for (GemmMath math : {GemmMath::Tf32x3, GemmMath::Ffma}) {
    GemmSm80Schedule one = schedule(32, 32, 16);
    one.math = math;
    for (int64_t c : {1, 2, 3, 8}) {
      check(padded(c, 12, true, "f32"), one, Behind::Relu);
      check(padded(c, 12, false, "f32"), one);
    }
    one.padLhs = true;
    check(padded(3, 12, true, "f32"), one);
  }
}

/// A pixel without neighbours is a product of matrices in NCHW too.
TEST(ConvSm80Run, OnePixel) {
  ConvCase conv = {.n = 3,
                   .c = 16,
                   .h = 5,
                   .w = 4,
                   .k = 20,
                   .r = 1,
                   .s = 1,
                   .nhwc = false,
                   .dtype = "bf16"};
  check(conv, schedule(), Behind::Relu);
  conv.h = conv.w = 1;
  check(conv, schedule());
}

} // namespace
} // namespace minic::cuda
