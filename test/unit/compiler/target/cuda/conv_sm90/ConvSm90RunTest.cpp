// SPDX-License-Identifier: Apache-2.0
//
// Kernels of conv_sm90 run by the interpreter and compared with the reference:
// stages that cp.async or gathers fill, multiplied by wgmma.

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

} // namespace
} // namespace minic::cuda
