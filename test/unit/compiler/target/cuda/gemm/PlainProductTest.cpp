// SPDX-License-Identifier: Apache-2.0
//
// Convolutions of one pixel in NHWC by the families of GEMM kernels: every
// schedule that they offer is right, residuals and padded channels included.

#include "compiler/target/cuda/gemm_skinny/GemmSkinnyFamily.h"
#include "compiler/target/cuda/gemm_sm80/GemmSm80Family.h"
#include "compiler/target/cuda/gemm_sm90/GemmSm90Family.h"
#include "test/unit/compiler/target/cuda/gemm/ConvolutionCases.h"

#include <gmock/gmock.h>

namespace minic::cuda {
namespace {

using testing::HasSubstr;

/// Every `step`th schedule of `family`.
void checkOffers(const ConvCase &conv, const KernelFamily &family,
                 Behind behind, size_t step) {
  ConvBody body = bodyOf(conv, behind);
  SCOPED_TRACE(body.text);
  DeviceProfile profile = *getCudaProfile("h200");
  InterpretedFusion first(body.arguments, body.result, body.text);
  ASSERT_EQ(family.reject(first.fusion, profile), std::nullopt);
  size_t count = family.enumerate(first.fusion, profile).size();
  ASSERT_GT(count, 0u);
  for (size_t i = 0; i < count; i += step) {
    InterpretedFusion run(body.arguments, body.result, body.text);
    checkAgainstReference(run, family, family.enumerate(run.fusion, profile)[i],
                          profile);
  }
}

ConvCase pixels(int64_t n, int64_t h, int64_t w, int64_t c, int64_t k,
                const std::string &dtype = "bf16") {
  return {
      .n = n, .c = c, .h = h, .w = w, .k = k, .r = 1, .s = 1, .dtype = dtype};
}

TEST(PlainProduct, GemmSm80) {
  checkOffers(pixels(2, 5, 7, 64, 40), GemmSm80Family(), Behind::Residual, 9);
  checkOffers(pixels(2, 5, 7, 20, 24, "f16"), GemmSm80Family(), Behind::Relu,
              9);
  checkOffers(pixels(2, 5, 7, 3, 9), GemmSm80Family(), Behind::Nothing, 9);
  checkOffers(pixels(1, 4, 4, 12, 8, "f32"), GemmSm80Family(), Behind::Relu, 9);
}

TEST(PlainProduct, GemmSm90) {
  checkOffers(pixels(2, 5, 7, 64, 40), GemmSm90Family(), Behind::Residual, 7);
  checkOffers(pixels(2, 5, 7, 20, 24), GemmSm90Family(), Behind::Relu, 9);
}

TEST(PlainProduct, GemmSkinny) {
  checkOffers(pixels(2, 3, 4, 64, 40), GemmSkinnyFamily(), Behind::Residual, 3);
  checkOffers(pixels(1, 1, 1, 21, 24), GemmSkinnyFamily(), Behind::Relu, 3);
}

std::string reasonFor(const ConvCase &conv) {
  ConvBody body = bodyOf(conv, Behind::Relu);
  ParsedFusion parsed(body.arguments, body.result, body.text);
  return GemmSm80Family()
      .reject(parsed.get(), *getCudaProfile("h200"))
      .value_or("accepted");
}

TEST(PlainProduct, LeavesOthersToImplicitGemms) {
  ConvCase conv = pixels(2, 5, 7, 64, 40);
  EXPECT_EQ(reasonFor(conv), "accepted");
  ConvCase planes = conv;
  planes.nhwc = false;
  EXPECT_THAT(reasonFor(planes), HasSubstr("no linear or matmul"));
  ConvCase strided = conv;
  strided.strideH = strided.strideW = 2;
  EXPECT_THAT(reasonFor(strided), HasSubstr("no linear or matmul"));
  ConvCase groups = conv;
  groups.groups = 2;
  EXPECT_THAT(reasonFor(groups), HasSubstr("no linear or matmul"));
}

} // namespace
} // namespace minic::cuda
