// SPDX-License-Identifier: Apache-2.0
//
// What default mode takes without a record, on CPUs that are not here: the
// candidate with the best estimate.

#include "compiler/target/Candidates.h"
#include "compiler/target/cpu/CpuProfile.h"
#include "test/unit/dialects/kernel/ParsedFusion.h"

#include "gmock/gmock.h"

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

namespace minic {
namespace {

/// Two cores whose every peak is known, so that tests do not depend on this
/// machine.
DeviceProfile avx512(double gflops) {
  DeviceProfile profile = cpu::getCpuProfile(/*threads=*/2, "v4");
  profile.features.push_back("+avx512bf16");
  profile.l1Bytes = 48 << 10;
  profile.l2Bytes = 1 << 20;
  profile.l3Bytes = 32 << 20;
  profile.peakGflops = gflops;
  profile.joinUs = 1;
  return profile;
}

DeviceProfile zen4() {
  DeviceProfile profile = avx512(112);
  profile.l3GBs = 75;
  profile.pairGflops = profile.onednnGflops16 = 224;
  return profile;
}

/// Granite Rapids: AMX, and pairs at half the rate of f32.
DeviceProfile amx() {
  DeviceProfile profile = avx512(224);
  profile.l2Bytes = 2 << 20;
  profile.pairGflops = 112;
  profile.onednnGflops16 = 1300;
  profile.l3GBs = 20;
  return profile;
}

std::string type(int64_t rows, int64_t columns, const std::string &dtype) {
  return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) +
         "x" + dtype + ">";
}

std::vector<std::string> linearRelu(int64_t m, int64_t n, int64_t k,
                                    const std::string &dtype,
                                    const DeviceProfile &profile) {
  std::string x = type(m, k, dtype), w = type(n, k, dtype),
              y = type(m, n, dtype);
  ParsedFusion parsed({x, w}, y,
                      "%l = graph.linear %0, %1 : (" + x + ", " + w + ") -> " +
                          y + "\n%r = graph.relu %l : " + y +
                          "\nkernel.yield %r : " + y);
  auto target = createCpuTarget(profile);
  std::vector<std::string> names, why;
  for (const Candidate &candidate :
       enumerateCandidates(parsed.get(), *target, {}, why)) {
    names.push_back(candidate.name);
  }
  return names;
}

TEST(CpuEstimatesTest, OnednnMultipliesBf16WhereItHasAmx) {
  for (auto [m, n, k] : {std::tuple(256, 512, 512),
                         {256, 1024, 1024},
                         {64, 4096, 4096},
                         {1024, 1024, 1024},
                         {2048, 2048, 2048},
                         {8, 1024, 1024},
                         {32, 256, 256},
                         {16, 768, 3072},
                         {560, 1280, 3420},
                         {37, 513, 129}}) {
    auto names = linearRelu(m, n, k, "bf16", amx());
    EXPECT_THAT(names.front(), StartsWith("library-fused onednn_fused"))
        << m << "x" << n << "x" << k;
  }
}

// K is not blocked: with a slow L3 the panels and rows of these belong to a
// library that blocks it.
TEST(CpuEstimatesTest, OnednnTakesLongKWhereL3IsSlow) {
  for (auto [m, n, k] : {std::tuple(64, 4096, 4096), {560, 1280, 3420}}) {
    EXPECT_THAT(linearRelu(m, n, k, "f32", amx()).front(),
                StartsWith("library-fused onednn_fused"))
        << m << "x" << n << "x" << k;
    EXPECT_THAT(linearRelu(m, n, k, "f32", zen4()).front(),
                StartsWith("generated"))
        << m << "x" << n << "x" << k;
  }
  for (auto [m, n, k] : {std::tuple(1, 4096, 4096),
                         {16, 768, 3072},
                         {8, 1024, 1024},
                         {37, 513, 129}}) {
    EXPECT_THAT(linearRelu(m, n, k, "f32", amx()).front(),
                StartsWith("generated"))
        << m << "x" << n << "x" << k;
  }
}

TEST(CpuEstimatesTest, ThreadsDivideTheWeightsRatherThanReadThemTwice) {
  EXPECT_THAT(linearRelu(8, 1024, 1024, "f32", amx()).front(),
              HasSubstr("split=n"));
}

TEST(CpuEstimatesTest, PairsAreMultipliedWhereThatIsFaster) {
  auto fastest = [](const DeviceProfile &profile) {
    for (const std::string &name : linearRelu(256, 512, 512, "bf16", profile)) {
      if (name.rfind("generated", 0) == 0) {
        return name;
      }
    }
    return std::string();
  };
  EXPECT_THAT(fastest(zen4()), HasSubstr("dot=pairs"));
  EXPECT_THAT(fastest(amx()), HasSubstr("dot=fma"));
}

TEST(CpuEstimatesTest, ATeamIsForWorkThatTakesLongerThanToJoinIt) {
  auto first = [](int64_t m, int64_t n, int64_t k, double joinUs) {
    DeviceProfile profile = zen4();
    profile.joinUs = joinUs;
    return linearRelu(m, n, k, "f32", profile).front();
  };
  EXPECT_THAT(first(16, 96, 32, 1), HasSubstr("split=none"));
  EXPECT_THAT(first(32, 256, 256, 1), Not(HasSubstr("split=none")));
  EXPECT_THAT(first(32, 256, 256, 64), HasSubstr("split=none"));
}

/// Candidates of a 1x1 convolution with so many channels in and 256 out.
std::vector<Candidate> pointwiseConvolution(int64_t side, int64_t channels,
                                            bool isNhwc) {
  std::string s = std::to_string(side), c = std::to_string(channels);
  auto image = [&](const std::string &channels) {
    return isNhwc ? "tensor<1x" + s + "x" + s + "x" + channels + "xf32>"
                  : "tensor<1x" + channels + "x" + s + "x" + s + "xf32>";
  };
  std::string x = image(c), w = "tensor<256x" + c + "x1x1xf32>",
              y = image("256");
  ParsedFusion parsed({x, w}, y,
                      "%y = graph.conv2d %0, %1" +
                          std::string(isNhwc ? " {layout = \"nhwc\"}" : "") +
                          " : (" + x + ", " + w + ") -> " + y +
                          "\nkernel.yield %y : " + y);
  DeviceProfile profile = zen4();
  profile.l1Bytes = 32 << 10;
  profile.onednnProblem = "";
  auto target = createCpuTarget(profile);
  std::vector<std::string> why;
  return enumerateCandidates(parsed.get(), *target, {}, why);
}

/// The first one whose name has `text`.
const Candidate &named(const std::vector<Candidate> &candidates,
                       const std::string &text) {
  return *llvm::find_if(candidates, [&](const Candidate &candidate) {
    return candidate.name.find(text) != std::string::npos;
  });
}

TEST(CpuEstimatesTest, PixelsOfATileShareSetsOfL1) {
  auto tile = [](int64_t channels) {
    return named(pointwiseConvolution(14, channels, /*isNhwc=*/true),
                 "conv_direct")
        .name;
  };
  EXPECT_THAT(tile(256), HasSubstr("conv_direct 14x"));
  EXPECT_THAT(tile(1024), Not(HasSubstr("conv_direct 14x")));
}

TEST(CpuEstimatesTest, SmallNchwImagesLeaveLanesOfOnednnIdle) {
  auto us = [](int64_t side, bool isNhwc) {
    return named(pointwiseConvolution(side, 2048, isNhwc), "onednn").estimateUs;
  };
  // As long as 64 pixels, not 49.
  EXPECT_NEAR(us(7, false), us(8, false), 0.03 * us(8, false));
  EXPECT_LT(us(7, true), 0.85 * us(7, false));
}

TEST(CpuEstimatesTest, WithoutOnednnNothingOfItIsACandidate) {
  DeviceProfile profile = amx();
  profile.onednnProblem = "oneDNN is not here";
  auto names = linearRelu(256, 512, 512, "bf16", profile);
  ASSERT_FALSE(names.empty());
  EXPECT_THAT(names, Each(Not(HasSubstr("onednn"))));
}

/// The first candidate of an attention with so many queries of 12 heads.
std::string firstForAttention(int64_t queries, const std::string &key) {
  std::string q = "tensor<1x12x" + std::to_string(queries) + "x64xf32>";
  ParsedFusion parsed({q, key, key}, q,
                      "%y = graph.attention %0, %1, %2 : (" + q + ", " + key +
                          ", " + key + ") -> " + q +
                          "\nkernel.yield %y : " + q);
  auto target = createCpuTarget(zen4());
  std::vector<std::string> why;
  return enumerateCandidates(parsed.get(), *target, {}, why).front().name;
}

TEST(CpuEstimatesTest, AttentionIsOneKernel) {
  std::string key = "tensor<1x12x512x64xf32>";
  EXPECT_THAT(firstForAttention(512, key), StartsWith("generated attention "));
  // Products whose keys are packed first would move them twice more.
  EXPECT_THAT(firstForAttention(1, key),
              StartsWith("generated attention 1x16 "));
}

} // namespace
} // namespace minic
