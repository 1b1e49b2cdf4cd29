// SPDX-License-Identifier: Apache-2.0
//
// Kernels of conv_sm90 run by the interpreter and compared with the reference:
// stages that cp.async, TMA or gathers fill, multiplied by wgmma.

#include "compiler/target/cuda/conv_sm90/ConvSm90Family.h"
#include "compiler/target/cuda/gemm_sm90/GemmSm90Geometry.h"
#include "test/unit/compiler/target/cuda/gemm/ConvolutionCases.h"

#include <gtest/gtest.h>

namespace minic::cuda {
namespace {

GemmSm90Schedule schedule(int64_t bn = 32, int64_t stages = 3,
                          int64_t splitK = 1, int64_t warpGroupsM = 1) {
  GemmSm90Schedule made;
  made.bm = 64 * warpGroupsM, made.bn = bn, made.bk = 64;
  made.warpGroupsM = warpGroupsM;
  made.stages = stages, made.splitK = splitK, made.convolves = true;
  return made;
}

void check(const ConvCase &conv, const GemmSm90Schedule &one = schedule(),
           Behind behind = Behind::Nothing) {
  checkConvolution<GemmSm90Geometry>(conv, ConvSm90Family(), one, behind);
}

TEST(ConvSm90Run, ManyChannels) {
  check(padded(64, 40), schedule(), Behind::Relu);
  check(padded(64, 40, true, "f16"), schedule(64, 4, 1, 2), Behind::Residual);
  check(padded(128, 72, false), schedule(96, 5), Behind::Residual);
}

TEST(ConvSm90Run, FewChannels) {
  for (int64_t c : {1, 3, 4, 12, 24}) {
    check(padded(c, 24), schedule(), Behind::Relu);
    check(padded(c, 40, false));
  }
  GemmSm90Schedule one = schedule();
  one.padLhs = true;
  check(padded(3, 24), one);
  check(padded(3, 40, false), one);
}

TEST(ConvSm90Run, SplitsAndGroups) {
  check(padded(64, 24), schedule(32, 4, 3), Behind::Residual);
  check(padded(5, 24), schedule(32, 3, 1), Behind::Residual);
  ConvCase conv = padded(48, 96);
  conv.groups = 2;
  check(conv, schedule(64), Behind::Residual);
  conv.nhwc = false;
  check(conv, schedule(64), Behind::Relu);
}

/// 384 threads pass 12 rows at once, 4 bytes each: not a multiple of the 8
/// after which the swizzle of shared memory repeats.
TEST(ConvSm90Run, PassesOfTwelveRows) {
  ConvCase conv = {.n = 2, .c = 6, .h = 9, .w = 9, .k = 9, .r = 3, .s = 3};
  conv.dtype = "bf16", conv.groups = 3;
  check(conv, schedule(96, 4, 1, 3));
  conv.top = conv.left = conv.bottom = conv.right = 1;
  check(conv, schedule(64, 4, 1, 3));
}

/// Rows are channels there, so that a bias has a value for each row.
TEST(ConvSm90Run, LinesOfWholeAccesses) {
  for (bool nhwc : {false, true}) {
    ConvCase conv = padded(64, 40, nhwc);
    conv.w = 8;
    check(conv, schedule(), Behind::Nothing);
    check(conv, schedule(), Behind::Relu);
    check(conv, schedule(), Behind::Residual);
  }
}

TEST(ConvSm90Run, Strides) {
  for (int64_t kernel : {1, 2, 3, 5}) {
    ConvCase conv = {.n = 2,
                     .c = 16,
                     .h = 11,
                     .w = 12,
                     .k = 40,
                     .r = kernel,
                     .s = kernel,
                     .strideH = 2,
                     .strideW = 3,
                     .top = kernel / 2,
                     .left = kernel / 2,
                     .dtype = "bf16"};
    check(conv);
    conv.dilationH = 2, conv.strideH = 1;
    check(conv);
  }
}

GemmSm90Schedule tma(int64_t bn = 64, int64_t stages = 3) {
  GemmSm90Schedule made = schedule(bn, stages);
  made.tma = true;
  return made;
}

TEST(ConvSm90Run, CopiesByTma) {
  // Tiles begin within lines, and the last one has fewer rows.
  check(padded(64, 40), tma(), Behind::Relu);
  check(padded(128, 72, true, "f16"), tma(96, 5), Behind::Residual);
  // Windows are rhs there.
  check(padded(64, 40, false), tma(), Behind::Residual);
  GemmSm90Schedule split = tma();
  split.splitK = 3;
  check(padded(64, 24), split, Behind::Relu);
  split.splitK = 2, split.clustered = true;
  check(padded(64, 24), split);
}

TEST(ConvSm90Run, CopiesByTmaOfGroupsAndSteps) {
  ConvCase conv = padded(128, 96);
  conv.groups = 2;
  check(conv, tma(), Behind::Residual);
  for (int64_t kernel : {1, 2, 3}) {
    conv = {.n = 3,
            .c = 64,
            .h = 11,
            .w = 12,
            .k = 40,
            .r = kernel,
            .s = kernel + 1,
            .strideH = 2,
            .strideW = 3,
            .top = kernel / 2,
            .left = kernel,
            .dtype = "bf16"};
    check(conv, tma());
    conv.dilationH = 2, conv.dilationW = 3, conv.strideH = 1;
    conv.bottom = 2;
    check(conv, tma());
  }
}

TEST(ConvSm90Run, CopiesByTmaThatAreShared) {
  GemmSm90Schedule one = tma();
  one.programmatic = true;
  one.multicastM = 2;
  ConvCase conv = padded(64, 128);
  conv.n = 2, conv.h = 8, conv.w = 8;
  check(conv, one, Behind::Relu);
  one.multicastM = 1, one.multicastN = 2, one.group = 1;
  check(conv, one, Behind::Relu);
}

TEST(ConvSm90Run, PingPong) {
  GemmSm90Schedule one = tma();
  one.programmatic = true;
  one.pingPongBlocks = 2;
  check(padded(64, 128), one, Behind::Residual);
  one.keepsRhs = true;
  check(padded(64, 64), one, Behind::Relu);
}

/// Why no kernel of the convolution copies by TMA.
std::string whyNoTma(const ConvCase &conv) {
  ConvBody body = bodyOf(conv, Behind::Nothing);
  InterpretedFusion run(body.arguments, body.result, body.text);
  std::string reason;
  auto shape = matchConvolution(run.fusion, &reason);
  if (succeeded(shape)) {
    EXPECT_TRUE(failed(GemmSm90Geometry::get(*shape, tma(), &reason)));
  }
  return reason;
}

TEST(ConvSm90Run, WhatTmaDoesNotCopy) {
  EXPECT_EQ(whyNoTma(padded(24, 40)),
            "TMA copies windows of a multiple of 64 channels");
  ConvCase conv = padded(64, 40);
  conv.strideW = 9;
  EXPECT_EQ(whyNoTma(conv),
            "TMA steps over at most 8 pixels, and over 127 at the border");
  conv = padded(64, 40);
  conv.top = 129;
  EXPECT_EQ(whyNoTma(conv),
            "TMA steps over at most 8 pixels, and over 127 at the border");
}

} // namespace
} // namespace minic::cuda
