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

TEST(CudaProfile, KeepsToWhatEveryDeviceOfAnArchitectureHas) {
  auto shared = [](const char *arch) {
    return getArchProfile(arch)->sharedBytesPerBlock >> 10;
  };
  EXPECT_EQ(shared("sm_80"), 163);
  EXPECT_EQ(shared("sm_86"), 99);
  EXPECT_EQ(shared("sm_89"), 99);
  EXPECT_EQ(shared("sm_90a"), 227);
  EXPECT_EQ(shared("sm_103a"), 227);
  EXPECT_EQ(shared("sm_120a"), 99);
  // Its PTX runs on sm_86 too, and sm_90's on sm_120.
  EXPECT_EQ(shared("compute_80"), 99);
  EXPECT_EQ(shared("compute_90"), 99);
  EXPECT_EQ(getArchProfile("sm_120")->threadsPerSm, 1536);
  EXPECT_EQ(getArchProfile("sm_120")->sharedBytesPerSm, 100 << 10);
}

} // namespace
} // namespace minic::cuda
