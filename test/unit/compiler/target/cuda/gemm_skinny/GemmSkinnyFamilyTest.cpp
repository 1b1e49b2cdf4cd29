// SPDX-License-Identifier: Apache-2.0
//
// What gemm_skinny takes, what it offers, and how its code asks for memory.

#include "compiler/target/cuda/gemm_skinny/GemmSkinnyFamily.h"
#include "compiler/target/cuda/gemm_skinny/EnumerateSkinny.h"
#include "test/unit/compiler/target/cuda/LoweredCall.h"
#include "test/unit/compiler/target/cuda/gemm_skinny/SkinnyOffer.h"
#include "test/unit/dialects/kernel/TensorText.h"

#include <gmock/gmock.h>

#include <set>

using namespace mlir;
using testing::HasSubstr;
using testing::Not;

namespace minic::cuda {
namespace {

/// x [m, k] by w [n, k].
ParsedFusion linearOf(int64_t m, int64_t n, int64_t k,
                      const std::string &dtype) {
  std::string x = tensor({m, k}, dtype), w = tensor({n, k}, dtype),
              y = tensor({m, n}, dtype);
  return ParsedFusion({x, w}, y,
                      "%r = graph.linear %0, %1 : (" + x + ", " + w + ") -> " +
                          y + "\nkernel.yield %r : " + y);
}

std::string rejection(ParsedFusion parsed, bool tf32 = false) {
  DeviceProfile profile = *getCudaProfile("h200");
  profile.allowTf32 = tf32;
  return GemmSkinnyFamily().reject(parsed.get(), profile).value_or("taken");
}

TEST(GemmSkinnyFamily, TakesFewRows) {
  EXPECT_EQ(rejection(linearOf(1, 64, 64, "bf16")), "taken");
  EXPECT_EQ(rejection(linearOf(32, 64, 64, "f32")), "taken");
  EXPECT_EQ(rejection(linearOf(33, 64, 64, "bf16")), "M = 33 is more than 32");
}

std::vector<Implementation>
offers(ParsedFusion &parsed, const std::string &device, bool tf32 = false) {
  DeviceProfile profile = *getCudaProfile(device);
  profile.allowTf32 = tf32;
  return GemmSkinnyFamily().enumerate(parsed.get(), profile);
}

TEST(GemmSkinnyFamily, OffersWhatTheDeviceCan) {
  ParsedFusion bf16 = linearOf(1, 11008, 4096, "bf16");
  auto hopper = offers(bf16, "h200");
  ASSERT_GT(hopper.size(), 8u);
  ASSERT_LE(hopper.size(), 24u);
  EXPECT_THAT(hopper.front().name, HasSubstr(" pdl"));
  for (const Implementation &implementation : offers(bf16, "a100")) {
    EXPECT_THAT(implementation.name, Not(HasSubstr("pdl")));
  }
  ParsedFusion f32 = linearOf(1, 1024, 1024, "f32");
  EXPECT_THAT(offers(f32, "h200").front().name, HasSubstr(" ffma "));
  EXPECT_THAT(offers(f32, "h200", true).front().name, HasSubstr(" tf32 "));
}

/// How widths, one batch or more and late launches compare is measured: an
/// H200 takes 6.9 us so, 8.0 as the best of what estimates alone put first.
TEST(GemmSkinnyFamily, OffersVarietyOfPlainArithmetic) {
  ParsedFusion parsed = linearOf(4, 3072, 3072, "f32");
  auto offered = offers(parsed, "h200");
  EXPECT_LE(offered.size(), 24u);
  std::set<std::string> kinds;
  std::vector<std::string> names;
  for (const Implementation &one : offered) {
    kinds.insert(one.kind);
    names.push_back(one.name);
  }
  EXPECT_THAT(names, testing::Contains("gemm_skinny 4 ffma warps=4 split=1 "
                                       "unroll=1 stages=1 pdl=late"));
  for (std::string width : {"2", "4", "8"}) {
    EXPECT_TRUE(kinds.contains("gemm_skinny ffma " + width));
    EXPECT_TRUE(kinds.contains("gemm_skinny ffma " + width + " one"));
  }
}

TEST(GemmSkinnyFamily, EstimatesAReadOfTheWeights) {
  ParsedFusion parsed = linearOf(1, 11008, 4096, "bf16");
  // 90 MB at 4.3 TB/s are 21 us.
  EXPECT_GT(offers(parsed, "h200").front().estimateUs, 20);
  EXPECT_LT(offers(parsed, "h200").front().estimateUs, 26);
}

TEST(GemmSkinnyFamily, AlwaysOffersSomething) {
  for (int64_t m : {0, 1, 32}) {
    for (int64_t k : {0, 1, 31, 4096}) {
      for (std::string dtype : {"bf16", "f32"}) {
        ParsedFusion parsed = linearOf(m, 5, k, dtype);
        EXPECT_FALSE(offers(parsed, "h200").empty())
            << m << " " << k << " " << dtype;
      }
    }
  }
}

TEST(GemmSkinnyFamily, RefusesOtherSchedules) {
  ParsedFusion parsed = linearOf(1, 64, 64, "bf16");
  Builder b(parsed.get().getContext());
  parsed.get().setImplAttr(kernel::ImplAttr::get(
      b.getContext(), "gemm_skinny",
      b.getDictionaryAttr(b.getNamedAttr("warps", b.getI64IntegerAttr(3)))));
  std::string message;
  ScopedDiagnosticHandler handler(b.getContext(), [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  CallRecorder plan(b.getContext());
  EXPECT_TRUE(failed(GemmSkinnyFamily().lower(parsed.get(), plan)));
  EXPECT_THAT(message, HasSubstr("gemm_skinny expects a schedule"));
  for (int64_t split : {1, 16}) {
    SkinnySchedule schedule = mma(16, 1, split, 1);
    schedule.clustered = true;
    parsed.get().setImplAttr(kernel::ImplAttr::get(
        b.getContext(), "gemm_skinny", toAttr(schedule, b.getContext())));
    message.clear();
    EXPECT_TRUE(failed(GemmSkinnyFamily().lower(parsed.get(), plan)));
    EXPECT_THAT(message, HasSubstr("clusters of 2 to 8 blocks"));
  }
}

} // namespace
} // namespace minic::cuda
