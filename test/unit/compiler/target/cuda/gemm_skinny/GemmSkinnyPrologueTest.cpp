// SPDX-License-Identifier: Apache-2.0
//
// Which prologues gemm_skinny takes, and that what it offers first is sound.

#include "test/unit/compiler/target/cuda/gemm_skinny/NormedProblem.h"
#include "test/unit/compiler/target/cuda/gemm_skinny/SkinnyOffer.h"

#include <gmock/gmock.h>

namespace minic::cuda {
namespace {

std::string rejection(const std::vector<std::string> &operands,
                      const std::string &results, const std::string &body) {
  ParsedFusion parsed(operands, results, body);
  return GemmSkinnyFamily()
      .reject(parsed.get(), *getCudaProfile("h200"))
      .value_or("taken");
}

std::string rejection(const NormedProblem &p) {
  return rejection(operandsOf(p), tensor({p.m, p.n}, p.dtype), bodyOf(p));
}

TEST(GemmSkinnyPrologue, IsMadeOfFewRows) {
  EXPECT_EQ(rejection({8, 16, 4096}), "taken");
  EXPECT_THAT(rejection({9, 16, 64}), testing::HasSubstr("more than 8 rows"));
  EXPECT_THAT(rejection({8, 16, 4104}), testing::HasSubstr("64 KiB"));
  EXPECT_THAT(rejection({2, 16, 1}), testing::HasSubstr("a norm of other"));
}

TEST(GemmSkinnyPrologue, AlwaysOffersSomething) {
  for (const NormedProblem &p :
       {NormedProblem{8, 16, 4096}, NormedProblem{1, 0, 64},
        NormedProblem{8, 5, 2048, "f32"}, NormedProblem{1, 1, 2}}) {
    ParsedFusion parsed(operandsOf(p), tensor({p.m, p.n}, p.dtype), bodyOf(p));
    auto offers =
        GemmSkinnyFamily().enumerate(parsed.get(), *getCudaProfile("a100"));
    ASSERT_FALSE(offers.empty()) << p.n << "x" << p.k;
    EXPECT_GT(offers.front().estimateUs, 0);
  }
}

TEST(GemmSkinnyPrologue, HasNoOtherUse) {
  EXPECT_THAT(
      rejection(
          {"tensor<2x16xf32>", "tensor<16x16xf32>"}, "tensor<2x16xf32>",
          R"(%n = graph.rms_norm %0 axis = 1 : (tensor<2x16xf32>) -> tensor<2x16xf32>
    %l = graph.linear %n, %1 : (tensor<2x16xf32>, tensor<16x16xf32>) -> tensor<2x16xf32>
    %s = graph.add %l, %n : tensor<2x16xf32>
    kernel.yield %s : tensor<2x16xf32>)"),
      testing::HasSubstr("used behind the product, too"));
}

/// What decoding does, bf16: the first offers for GPT-2 and Llama.
TEST(GemmSkinnyPrologue, TheFirstOffersDoNotSpill) {
  for (const NormedProblem &p :
       {NormedProblem{1, 2304, 768}, NormedProblem{1, 3072, 768},
        NormedProblem{1, 50257, 768},
        NormedProblem{1, 6144, 4096, "bf16", "rms_norm", true, false},
        NormedProblem{1, 3072, 2048, "bf16", "rms_norm", true, false},
        NormedProblem{8, 3072, 768}, NormedProblem{8, 4096, 4096},
        NormedProblem{1, 3072, 768, "f32"},
        NormedProblem{8, 3072, 768, "f32"}}) {
    SCOPED_TRACE(std::to_string(p.m) + "x" + std::to_string(p.n) + "x" +
                 std::to_string(p.k) + " " + p.dtype);
    ParsedFusion parsed(operandsOf(p), tensor({p.m, p.n}, p.dtype), bodyOf(p));
    expectNoSpills(parsed.get(), *getCudaProfile("h200"));
  }
}

} // namespace
} // namespace minic::cuda
