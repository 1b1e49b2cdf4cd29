// SPDX-License-Identifier: Apache-2.0
//
// Which contractions cuDNN takes, and the call that is written for them.

#include "compiler/target/cuda/cudnn/CudnnMatmul.h"

#include "test/unit/compiler/target/cuda/LoweredCall.h"

#include "gmock/gmock.h"

using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace minic::cuda {
namespace {

const CudnnMatmul kMatmul;

TEST(CudnnMatmulTest, ALinearWithExactGelu) {
  ParsedFusion parsed = linear("%r = graph.gelu %y : tensor<3x8xbf16>", "bf16");
  LoweredCall lowered(kMatmul, parsed, *getCudaProfile("h200"));
  auto matmul = lowered.descriptor;
  EXPECT_THAT(matmul.view("lhs").getDims().asArrayRef(), ElementsAre(3, 16));
  EXPECT_THAT(matmul.view("rhs").getDims().asArrayRef(), ElementsAre(16, 8));
  EXPECT_THAT(matmul.view("rhs").getStrides().asArrayRef(), ElementsAre(1, 16));
  EXPECT_THAT(matmul.view("bias").getDims().asArrayRef(), ElementsAre(8));
  EXPECT_EQ(epilogueOf(matmul), "gelu_erf");
  EXPECT_EQ(textOf(matmul, "compute"), "f32");
  EXPECT_EQ(lowered.call.getAddresses().size(), 4u);
}

/// A ConvNeXt's first linear of 32 images: 38.5 million results.
TEST(CudnnMatmulTest, GeluOfLargeResultsTakesItsTime) {
  auto estimate = [](const std::string &op) {
    std::string x = "tensor<100352x96xbf16>", w = "tensor<384x96xbf16>",
                y = "tensor<100352x384xbf16>";
    ParsedFusion parsed({x, w}, y,
                        "%y = graph.linear %0, %1 : (" + x + ", " + w +
                            ") -> " + y + "\n%r = graph." + op + " %y : " + y +
                            "\nkernel.yield %r : " + y);
    return kMatmul.enumerate(parsed.get(), *getCudaProfile("h200"))
        .front()
        .estimateUs;
  };
  EXPECT_GT(estimate("gelu"), estimate("relu") + 25);
}

TEST(CudnnMatmulTest, F32NeedsTf32) {
  EXPECT_THAT(reasonFor(kMatmul, linear("", "f32")), HasSubstr("tf32"));
  DeviceProfile profile = *getCudaProfile("h200");
  profile.allowTf32 = true;
  ParsedFusion parsed = linear("%r = graph.silu %y : tensor<3x8xf32>", "f32");
  LoweredCall lowered(kMatmul, parsed, profile);
  EXPECT_EQ(textOf(lowered.descriptor, "compute"), "tf32");
}

TEST(CudnnMatmulTest, SaysWhatItDoesNotTake) {
  EXPECT_THAT(
      reasonFor(kMatmul, linear("%r = graph.add %y, %3 : (tensor<3x8xbf16>, "
                                "tensor<3x8xbf16>) -> tensor<3x8xbf16>",
                                "bf16", {"tensor<3x8xbf16>"})),
      HasSubstr("a value per column"));
  EXPECT_THAT(reasonFor(kMatmul,
                        linear("%r = graph.exp %y : tensor<3x8xbf16>", "bf16")),
              HasSubstr("cuDNN fuses no graph.exp"));
}

} // namespace
} // namespace minic::cuda
