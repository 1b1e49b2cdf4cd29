// SPDX-License-Identifier: Apache-2.0
//
// Every so many candidates of all families that take a convolution, at awkward
// shapes and in every dtype, by the interpreter. Some family takes each.

#include "compiler/target/cuda/conv_depthwise/ConvDepthwiseFamily.h"
#include "compiler/target/cuda/conv_sm80/ConvSm80Family.h"
#include "compiler/target/cuda/conv_sm90/ConvSm90Family.h"
#include "compiler/target/cuda/gemm_sm80/GemmSm80Family.h"
#include "compiler/target/cuda/gemm_sm90/GemmSm90Family.h"
#include "test/unit/compiler/target/cuda/gemm/ConvolutionCases.h"

#include <gtest/gtest.h>

namespace minic::cuda {
namespace {

/// Candidates from one that is run to the next. It has no common divisor with
/// how many of them differ in one way only.
constexpr size_t step = 17;

const ConvDepthwiseFamily depthwise;
const ConvSm80Family convSm80;
const ConvSm90Family convSm90;
const GemmSm80Family gemmSm80;
const GemmSm90Family gemmSm90;
const KernelFamily *const families[] = {&depthwise, &convSm80, &convSm90,
                                        &gemmSm80, &gemmSm90};

ConvCase conv(int64_t c, int64_t k, int64_t r, int64_t s, int64_t strideH,
              int64_t strideW, int64_t dilationH, int64_t dilationW,
              std::array<int64_t, 4> pads, int64_t groups) {
  return {.n = 1,
          .c = c,
          .h = 0,
          .w = 0,
          .k = k,
          .r = r,
          .s = s,
          .strideH = strideH,
          .strideW = strideW,
          .top = pads[0],
          .left = pads[1],
          .bottom = pads[2],
          .right = pads[3],
          .dilationH = dilationH,
          .dilationW = dilationW,
          .groups = groups};
}

/// Those of test/inputs/convolutions.py.
const ConvCase cases[] = {
    conv(1, 1, 1, 1, 1, 1, 1, 1, {0, 0, 0, 0}, 1),
    conv(3, 64, 7, 7, 2, 2, 1, 1, {3, 3, 3, 3}, 1),
    conv(17, 31, 1, 1, 1, 1, 1, 1, {0, 0, 0, 0}, 1),
    conv(64, 40, 1, 1, 2, 2, 1, 1, {0, 0, 0, 0}, 1),
    conv(5, 33, 2, 2, 1, 1, 1, 1, {0, 0, 1, 1}, 1),
    conv(16, 65, 3, 3, 1, 1, 1, 1, {1, 1, 1, 1}, 1),
    conv(7, 16, 3, 3, 2, 1, 1, 1, {0, 1, 1, 2}, 1),
    conv(9, 10, 3, 3, 1, 1, 2, 2, {2, 2, 2, 2}, 1),
    conv(4, 6, 4, 4, 3, 3, 1, 2, {3, 0, 0, 3}, 1),
    conv(8, 24, 5, 5, 1, 1, 1, 1, {2, 2, 2, 2}, 1),
    conv(6, 20, 6, 6, 1, 2, 1, 1, {0, 5, 5, 0}, 1),
    conv(12, 18, 3, 1, 1, 1, 3, 1, {1, 0, 2, 0}, 1),
    conv(12, 18, 1, 3, 1, 2, 1, 2, {0, 1, 0, 2}, 1),
    conv(8, 64, 3, 3, 1, 1, 1, 1, {1, 1, 1, 1}, 2),
    conv(12, 51, 3, 3, 2, 2, 1, 1, {1, 1, 1, 1}, 3),
    conv(31, 31, 3, 3, 1, 1, 1, 1, {1, 1, 1, 1}, 31),
    conv(32, 32, 5, 5, 2, 2, 1, 1, {2, 2, 2, 2}, 32),
    conv(6, 18, 3, 3, 1, 1, 2, 1, {2, 1, 2, 1}, 6),
    conv(72, 64, 3, 3, 1, 1, 1, 1, {1, 1, 1, 1}, 1),
    conv(48, 40, 3, 3, 2, 2, 1, 1, {1, 1, 1, 1}, 2),
    conv(1, 24, 5, 5, 1, 1, 1, 1, {2, 2, 2, 2}, 1),
    conv(24, 24, 7, 7, 1, 1, 1, 1, {3, 3, 3, 3}, 24),
};
constexpr std::pair<int64_t, int64_t> sizes[] = {
    {1, 1}, {7, 7}, {9, 11}, {6, 6}};

/// How many candidates of `family` were run; counts on from `number`.
size_t check(const ConvBody &body, const KernelFamily &family, size_t &number) {
  DeviceProfile profile = *getCudaProfile("h200");
  InterpretedFusion first(body.arguments, body.result, body.text);
  if (!family.isFor(&*first.fusion.getBody().front().begin()) ||
      family.reject(first.fusion, profile)) {
    return 0;
  }
  size_t count = family.enumerate(first.fusion, profile).size();
  for (size_t i = 0; i != count; ++i) {
    if (number++ % step != 0) {
      continue;
    }
    InterpretedFusion run(body.arguments, body.result, body.text);
    Implementation offer = family.enumerate(run.fusion, profile)[i];
    // The interpreter has no clusters whose blocks have unlike parts of K.
    if (!llvm::StringRef(offer.name).contains("cluster=")) {
      checkAgainstReference(run, family, offer, profile);
    }
  }
  return count;
}

void checkAll(const std::string &dtype) {
  size_t number = 0, size = 0;
  for (ConvCase one : cases) {
    for (bool nhwc : {false, true}) {
      one.dtype = dtype, one.nhwc = nhwc;
      std::tie(one.h, one.w) = sizes[size++ % 4];
      // No smaller than the filter's reach.
      one.h = std::max(one.h, one.dilationH * (one.r - 1) + 1);
      one.w = std::max(one.w, one.dilationW * (one.s - 1) + 1);
      ConvBody body = bodyOf(one, size % 3 == 0   ? Behind::Nothing
                                  : size % 3 == 1 ? Behind::Relu
                                                  : Behind::Residual);
      SCOPED_TRACE(body.text);
      size_t offers = 0;
      for (const KernelFamily *family : families) {
        offers += check(body, *family, number);
      }
      EXPECT_GT(offers, 0u);
    }
  }
}

TEST(ConvolutionOffers, Bf16) { checkAll("bf16"); }
TEST(ConvolutionOffers, F16) { checkAll("f16"); }
TEST(ConvolutionOffers, F32) { checkAll("f32"); }

} // namespace
} // namespace minic::cuda
