// SPDX-License-Identifier: Apache-2.0
//
// What a search on an H200 looks at, played over times that were measured on
// one: the fastest kernels known must be among it, and it must be few.

#include "compiler/target/Candidates.h"
#include "compiler/target/cuda/CudaProfile.h"
#include "compiler/tune/search/Prospects.h"
#include "test/unit/dialects/kernel/ParsedFusion.h"
#include "test/unit/dialects/kernel/TensorText.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace minic::tune {
namespace {

/// Measured microseconds by the name of a generated kernel.
using Times = std::map<std::string, double>;

struct Played {
  std::vector<std::string> lookedAt;
  size_t offered = 0;
  bool reaches(const std::string &name) const {
    return std::find(lookedAt.begin(), lookedAt.end(), "generated " + name) !=
           lookedAt.end();
  }
};

/// BeforeSm90: those that there were when the times were taken, which had no
/// clusters either.
enum class Families { All, BeforeSm90 };

/// Kernels without a known time take `factor` times their estimate, which is
/// more than any of those that are known does.
Played play(ParsedFusion &&parsed, const Times &times, double factor,
            Families families = Families::BeforeSm90) {
  auto target = createCudaTarget(*cuda::getCudaProfile("h200"));
  std::vector<std::string> why;
  std::vector<Candidate> candidates = enumerateCandidates(
      parsed.get(), *target, {BackendLabel::Generated}, why);
  llvm::erase_if(candidates, [&](const Candidate &candidate) {
    llvm::StringRef name = candidate.name;
    return families == Families::BeforeSm90 &&
           (name.contains("gemm_sm90") || name.contains(" cluster="));
  });
  std::vector<Prospect> prospects;
  for (const Candidate &candidate : candidates) {
    EXPECT_NE(candidate.kind, "") << candidate.name;
    prospects.push_back({candidate.kind, candidate.modelUs});
  }
  Played played{{}, candidates.size()};
  auto lookAt = [&](size_t i) {
    const std::string &name = candidates[i].name;
    auto known = times.find(name.substr(strlen("generated ")));
    prospects[i].screenUs =
        known != times.end() ? known->second : factor * candidates[i].modelUs;
    played.lookedAt.push_back(name);
  };
  std::vector<bool> isFirst = firstToLookAt(prospects);
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (isFirst[i]) {
      lookAt(i);
    }
  }
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (!isFirst[i] && isPromising(prospects, i)) {
      lookAt(i);
    }
  }
  return played;
}

ParsedFusion product(int m, int n, int k, const std::string &dtype,
                     bool isLinear) {
  std::string x = tensor({m, k}, dtype), y = tensor({m, n}, dtype),
              w = isLinear ? tensor({n, k}, dtype) : tensor({k, n}, dtype);
  return ParsedFusion({x, w}, y,
                      std::string("%y = graph.") +
                          (isLinear ? "linear" : "matmul") + " %0, %1 : (" + x +
                          ", " + w + ") -> " + y + "\nkernel.yield %y : " + y);
}

TEST(SearchReach, SmallMlpBf16) {
  Played played =
      play(product(256, 1024, 1024, "bf16", true),
           {{"gemm_sm80 32x64x64 warps=1x2x2 stages=8 group=8 math=mma pdl=on",
             3.84},
            {"gemm_sm80 64x32x64 warps=2x1x2 stages=8 group=8 math=mma pdl=on",
             3.83},
            {"gemm_sm80 64x32x128 warps=2x1x2 stages=8 group=8 math=mma pdl=on",
             3.98},
            {"gemm_sm80 32x64x128 warps=1x2x2 stages=8 group=8 math=mma pdl=on",
             3.98},
            {"gemm_sm80 32x64x64 warps=1x2x2 stages=6 group=8 math=mma pdl=on",
             3.84},
            {"gemm_sm80 32x64x64 warps=1x2x2 stages=4 group=8 math=mma pdl=on",
             3.83},
            {"gemm_sm80 32x64x128 warps=1x2x2 stages=3 group=8 math=mma pdl=on",
             3.81}},
           1.1);
  EXPECT_TRUE(played.reaches(
      "gemm_sm80 32x64x64 warps=1x2x2 stages=8 group=8 math=mma pdl=on"));
  EXPECT_TRUE(played.reaches(
      "gemm_sm80 64x32x64 warps=2x1x2 stages=8 group=8 math=mma pdl=on"));
  // Fewer stages, so that blocks of the next launches fit beside.
  EXPECT_TRUE(played.reaches(
      "gemm_sm80 32x64x64 warps=1x2x2 stages=4 group=8 math=mma pdl=on"));
  EXPECT_TRUE(played.reaches(
      "gemm_sm80 32x64x128 warps=1x2x2 stages=3 group=8 math=mma pdl=on"));
  EXPECT_LE(played.lookedAt.size(), 24u) << "of " << played.offered;
}

TEST(SearchReach, SmallMlpBf16OnHopper) {
  std::string winner = "gemm_sm90 64x32x64 warpgroups=1x1 stages=6 group=8 "
                       "pdl=on";
  Played played = play(
      product(256, 1024, 1024, "bf16", true),
      {{winner, 3.25},
       {"gemm_sm90 64x32x64 warpgroups=1x1 stages=12 group=8 pdl=on", 3.29},
       {"gemm_sm90 64x64x64 warpgroups=1x1 stages=12 group=8 pdl=on", 3.37},
       {"gemm_sm90 64x32x64 warpgroups=1x1x2 stages=6 group=8 pdl=on", 3.47},
       {"gemm_sm80 64x32x64 warps=2x1x2 stages=8 group=8 math=mma pdl=on",
        3.81},
       {"gemm_sm80 32x64x64 warps=1x2x2 stages=8 group=8 math=mma pdl=on",
        3.87}},
      1.1, Families::All);
  EXPECT_TRUE(played.reaches(winner));
  EXPECT_LE(played.lookedAt.size(), 36u) << "of " << played.offered;
}

TEST(SearchReach, UnalignedMatmulOnHopper) {
  std::string tile = "gemm_sm90 128x160x64 warpgroups=2x1 stages=";
  Played played = play(product(2048, 1280, 3420, "bf16", false),
                       {{tile + "6 group=8", 29.9},
                        {tile + "6 group=8 pdl=on", 30.4},
                        {tile + "5 group=8", 29.5},
                        {tile + "5 group=8 pdl=on", 29.7},
                        {tile + "6 group=8 lhs=padded pdl=on", 32.2}},
                       1.2, Families::All);
  EXPECT_TRUE(played.reaches(tile + "5 group=8"));
  EXPECT_LE(played.lookedAt.size(), 36u) << "of " << played.offered;
}

TEST(SearchReach, SmallMlpF32) {
  Played played = play(
      product(256, 1024, 1024, "f32", true),
      {{"gemm_sm80 64x32x32 warps=2x1x2 stages=8 group=8 math=tf32x3 pdl=on",
        12.5},
       {"gemm_sm80 32x32x32 warps=1x1x4 stages=8 group=8 math=tf32x3", 12.6},
       {"gemm_sm80 32x32x64 warps=1x1x4 stages=6 group=8 math=tf32x3 pdl=on",
        12.6},
       {"gemm_sm80 32x64x32 warps=1x2x2 stages=8 group=8 math=tf32x3 pdl=on",
        12.7},
       {"gemm_sm80 32x64x64 warps=1x2x2 stages=8 group=8 math=tf32x3 pdl=on",
        13.2}},
      1.6);
  EXPECT_TRUE(played.reaches(
      "gemm_sm80 64x32x32 warps=2x1x2 stages=8 group=8 math=tf32x3 pdl=on"));
  EXPECT_TRUE(played.reaches(
      "gemm_sm80 32x64x32 warps=1x2x2 stages=8 group=8 math=tf32x3 pdl=on"));
  // Registers leave room for three blocks of an SM, not four.
  for (const char *tile : {"64x32x32 warps=2x1x2", "32x64x32 warps=1x2x2"}) {
    std::string shallow = std::string("gemm_sm80 ") + tile +
                          " stages=6 group=8 math=tf32x3 pdl=on";
    EXPECT_TRUE(played.reaches(shallow)) << shallow;
  }
  EXPECT_LE(played.lookedAt.size(), 27u) << "of " << played.offered;
}

TEST(SearchReach, UnalignedMatmul) {
  Played played =
      play(product(2048, 1280, 3420, "bf16", false),
           {{"gemm_sm80 128x256x64 warps=2x4 stages=4 group=8 math=mma pdl=on",
             64.1},
            {"gemm_sm80 128x256x64 warps=2x4 stages=4 group=8 math=mma", 64.8}},
           1.4);
  EXPECT_TRUE(played.reaches(
      "gemm_sm80 128x256x64 warps=2x4 stages=4 group=8 math=mma pdl=on"));
}

// On an H100. By estimates the kernels of few rows are as fast.
TEST(SearchReach, SmallBatches) {
  std::string winner = "gemm_sm80 16x32x128 warps=1x2x2 stages=8 cluster=2 "
                       "group=8 math=mma pdl=on";
  Played played = play(
      product(16, 4096, 11008, "bf16", true),
      {{winner, 31.1},
       {"gemm_sm80 16x64x128 warps=1x2x2 stages=8 cluster=2 group=8 math=mma "
        "pdl=on",
        31.5},
       {"gemm_sm80 32x64x128 warps=1x2x2 stages=8 cluster=2 group=8 math=mma "
        "pdl=on",
        31.8},
       {"gemm_skinny 16 mma warps=16 split=1 unroll=1 stages=4 pdl", 44.0}},
      1.1, Families::All);
  EXPECT_TRUE(played.reaches(winner));
}

TEST(SearchReach, OneRow) {
  std::string winner = "gemm_skinny 32 mma warps=8 split=1 unroll=1 stages=3 "
                       "pdl";
  Played played =
      play(product(1, 2304, 768, "bf16", true),
           {{winner, 1.92},
            {"gemm_skinny 32 mma warps=8 split=1 unroll=3 stages=1 pdl", 1.95},
            {"gemm_skinny 16 mma warps=8 split=1 unroll=1 stages=3 pdl", 1.96},
            {"gemm_sm80 16x32x128 warps=1x2x2 stages=6 group=8 math=mma pdl=on",
             2.82}},
           1.1, Families::All);
  EXPECT_TRUE(played.reaches(winner));
}

} // namespace
} // namespace minic::tune
