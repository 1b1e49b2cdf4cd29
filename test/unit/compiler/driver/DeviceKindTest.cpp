// SPDX-License-Identifier: Apache-2.0
//
// Shipped records meet devices by parts of tuning keys, which are text: those
// that are made here have these parts.

#include "compiler/driver/LocalGpu.h"
#include "compiler/target/cpu/CpuProfile.h"
#include "compiler/tune/database/ShippedRecords.h"

#include "gmock/gmock.h"

namespace minic {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using tune::deviceKind;

std::string kindOfCpu(int threads, const char *isa) {
  return deviceKind(cpu::getCpuProfile(threads, isa).tuningKey);
}

TEST(DeviceKind, OfACpuIsWhatItRunsAndOnHowManyThreads) {
  EXPECT_THAT(kindOfCpu(3, "v4"), StartsWith("x86-64-v4 +"));
  EXPECT_THAT(kindOfCpu(3, "v4"), EndsWith(" threads=3"));
  EXPECT_THAT(kindOfCpu(3, "v4"), Not(HasSubstr("l2=")));
  EXPECT_THAT(kindOfCpu(3, ""), EndsWith(" threads=3"));
  EXPECT_NE(kindOfCpu(3, "v4"), kindOfCpu(2, "v4"));
  EXPECT_NE(kindOfCpu(3, "v4"), kindOfCpu(3, "v3"));
}

std::string kindOfGpu(runtime::GpuFacts gpu) {
  return deviceKind(profileOf(gpu, {})->tuningKey);
}

TEST(DeviceKind, OfAGpuIsItsArchitectureAndHowMuchOfItThereIs) {
  runtime::GpuFacts gpu;
  gpu.name = "NVIDIA Test";
  gpu.computeMajor = 9;
  gpu.smCount = 132;
  gpu.smClockKHz = 1980000;
  gpu.memoryGBs = 4800;
  EXPECT_EQ(kindOfGpu(gpu), "cc 9.0 sms 132 mig no");
  runtime::GpuFacts other = gpu;
  other.smClockKHz = 1500000;
  other.memoryGBs = 4000;
  other.l2Bytes = 50 << 20;
  EXPECT_EQ(kindOfGpu(other), kindOfGpu(gpu));
  other.isMig = true;
  EXPECT_NE(kindOfGpu(other), kindOfGpu(gpu));
}

} // namespace
} // namespace minic
