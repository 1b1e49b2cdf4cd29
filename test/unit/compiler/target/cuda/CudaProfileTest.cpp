// SPDX-License-Identifier: Apache-2.0
//
// Architectures and named devices.

#include "compiler/target/cuda/CudaProfile.h"

#include <gtest/gtest.h>

namespace minic::cuda {
namespace {

TEST(CudaProfile, KnowsArchitecturesFromSm80On) {
  EXPECT_EQ(parseArch("sm_80"), 80);
  EXPECT_EQ(parseArch("sm_89"), 89);
  EXPECT_EQ(parseArch("sm_90"), 90);
  EXPECT_EQ(parseArch("sm_90a"), 90);
  EXPECT_EQ(parseArch("sm_75"), std::nullopt);
  EXPECT_EQ(parseArch("sm_80a"), std::nullopt);
  EXPECT_EQ(parseArch("sm_"), std::nullopt);
  EXPECT_EQ(parseArch("compute_80"), std::nullopt);
  EXPECT_EQ(parseArch("sm_90x"), std::nullopt);
}

TEST(CudaProfile, TakesTheArchitectureOfADevice) {
  EXPECT_EQ(archOf(80), "sm_80");
  EXPECT_EQ(archOf(90), "sm_90a");
}

TEST(CudaProfile, DescribesNamedDevices) {
  auto h200 = getCudaProfile("h200");
  ASSERT_TRUE(h200);
  EXPECT_EQ(h200->target, "cuda");
  EXPECT_EQ(h200->cpu, "sm_90a");
  EXPECT_EQ(h200->smVersion, 90);
  EXPECT_EQ(h200->smCount, 132);
  EXPECT_FALSE(h200->isPresent);
  // 67 and 990 TFLOP/s on the data sheet of the SXM module.
  EXPECT_NEAR(h200->peakGflops, 67e3, 1e3);
  EXPECT_NEAR(h200->tensorGflops16, 990e3, 90e3);
  EXPECT_FALSE(getCudaProfile("h300"));
  EXPECT_NE(profileNames().find("h200"), std::string::npos);
}

} // namespace
} // namespace minic::cuda
