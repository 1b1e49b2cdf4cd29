// SPDX-License-Identifier: Apache-2.0
//
// Which devices run which binaries.

#include "runtime/device/cuda/Architecture.h"

#include <gmock/gmock.h>

namespace minic::runtime {
namespace {

bool runs(absl::string_view isa, int major, int minor) {
  return checkArchitecture(isa, {major, minor}).ok();
}

TEST(ArchitectureTest, archSpecificBinariesRunOnThatOneAlone) {
  EXPECT_TRUE(runs("sm_90a", 9, 0));
  EXPECT_FALSE(runs("sm_90a", 8, 9));
  EXPECT_FALSE(runs("sm_90a", 9, 1));
  EXPECT_FALSE(runs("sm_90a", 10, 0));
  EXPECT_FALSE(runs("sm_100a", 10, 3));
  EXPECT_TRUE(runs("sm_103a", 10, 3));
}

TEST(ArchitectureTest, binariesRunInTheirGeneration) {
  EXPECT_TRUE(runs("sm_80", 8, 0));
  EXPECT_TRUE(runs("sm_80", 8, 9));
  EXPECT_FALSE(runs("sm_86", 8, 0));
  EXPECT_FALSE(runs("sm_80", 9, 0));
  EXPECT_FALSE(runs("sm_80", 7, 5));
  EXPECT_TRUE(runs("sm_100f", 10, 3));
  EXPECT_FALSE(runs("sm_100f", 12, 0));
}

TEST(ArchitectureTest, ptxRunsEverywhereFromThereOn) {
  EXPECT_TRUE(runs("compute_80", 8, 0));
  EXPECT_TRUE(runs("compute_80", 9, 0));
  EXPECT_TRUE(runs("compute_80", 12, 1));
  EXPECT_FALSE(runs("compute_80", 7, 5));
  EXPECT_FALSE(runs("compute_90", 8, 9));
  EXPECT_FALSE(runs("compute_90a", 10, 0)); // such PTX runs nowhere else
}

TEST(ArchitectureTest, saysWhatIsExpectedAndWhatIsThere) {
  EXPECT_EQ(checkArchitecture("sm_90a", {8, 6}).message(),
            "expected a GPU that runs sm_90a, got one of compute capability "
            "8.6");
}

TEST(ArchitectureTest, refusesNamesItDoesNotKnow) {
  for (const char *isa : {"", "sm_", "90a", "sm_9x", "gfx942", "sm_-90",
                          "sm_99999999999", "compute_", "avx2"}) {
    absl::Status status = checkArchitecture(isa, {9, 0});
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << isa;
    EXPECT_THAT(std::string(status.message()),
                ::testing::HasSubstr("unknown CUDA architecture"))
        << isa;
  }
}

} // namespace
} // namespace minic::runtime
