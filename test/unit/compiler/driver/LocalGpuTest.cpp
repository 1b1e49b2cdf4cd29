// SPDX-License-Identifier: Apache-2.0
//
// Which GPU of what a worker describes is compiled for, and under which key it
// is tuned. The worker is a script that says what a test wants.

#include "compiler/driver/LocalGpu.h"

#include "compiler/target/cuda/CudaProfile.h"

#include "gmock/gmock.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace minic {
namespace {

using ::testing::HasSubstr;

class LocalGpuTest : public ::testing::Test {
protected:
  LocalGpuTest() {
    std::string pattern = ::testing::TempDir() + "minic-local-gpu-XXXXXX";
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    folder = pattern;
    // Whatever this machine has, a worker is asked.
    ::setenv("MINIC_CUDA_DRIVER", "as the worker says", 1);
  }
  ~LocalGpuTest() override { std::filesystem::remove_all(folder); }

  static runtime::GpuFacts gpu(int index, int major = 9, int minor = 0) {
    runtime::GpuFacts gpu;
    gpu.index = index;
    gpu.name = "NVIDIA Test " + std::to_string(index);
    gpu.uuid = "GPU-0" + std::to_string(index);
    gpu.pciBusId = "0000:3b:00.0";
    gpu.computeMajor = major;
    gpu.computeMinor = minor;
    gpu.smCount = 132;
    gpu.smClockKHz = 1980000;
    gpu.memoryGBs = 4900;
    gpu.l2Bytes = 60 << 20;
    return gpu;
  }

  std::optional<DeviceProfile> probe(const std::string &answer, int device) {
    std::string worker = folder + "/worker";
    std::ofstream(worker) << "#!/bin/sh\nread -r line\nprintf '%s\\n' '"
                          << answer << "'\nread -r line\n";
    std::filesystem::permissions(worker, std::filesystem::perms::owner_all);
    tune::Machine machine({"minic", worker, /*shipped=*/""});
    error.clear();
    return probeGpu(machine, device, error);
  }
  std::optional<DeviceProfile> probe(const runtime::DeviceFacts &facts,
                                     int device) {
    return probe(runtime::encode(runtime::Reply(facts)), device);
  }

  std::string folder, error;
};

TEST_F(LocalGpuTest, TakesTheDeviceThatIsAskedFor) {
  runtime::DeviceFacts facts;
  facts.gpus = {gpu(0, 8, 0), gpu(1)};
  facts.libraries = {{"cuBLAS", "13.1.0"}, {"driver", "13.0"}, {"oneDNN", "2"}};
  std::optional<DeviceProfile> profile = probe(facts, 1);
  ASSERT_TRUE(profile) << error;
  EXPECT_EQ(profile->name, "NVIDIA Test 1");
  EXPECT_EQ(profile->cpu, "sm_90a");
  EXPECT_EQ(profile->deviceIndex, 1);
  EXPECT_EQ(profile->deviceId, "GPU-01"); // names its lock
  EXPECT_EQ(profile->libraries, "cuBLAS 13.1.0, driver 13.0");
  EXPECT_TRUE(profile->isPresent);
  EXPECT_EQ(probe(facts, 0)->cpu, "sm_80");
  EXPECT_FALSE(probe(facts, 2));
  EXPECT_EQ(error, "no GPU 2, this machine has 2");
}

TEST_F(LocalGpuTest, NoGpuIsNoErrorAndABrokenDriverIsOne) {
  runtime::DeviceFacts facts;
  facts.gpuProblem = "no CUDA driver: libcuda.so.1: cannot open";
  EXPECT_FALSE(probe(facts, 0));
  EXPECT_EQ(error, "");
  facts.isGpuBroken = true;
  facts.gpuProblem = "got one for CUDA 12.8";
  EXPECT_FALSE(probe(facts, 0));
  EXPECT_EQ(error, "the NVIDIA driver does not work: got one for CUDA 12.8");
}

TEST_F(LocalGpuTest, AWorkerThatDoesNotAnswerIsNamed) {
  EXPECT_FALSE(probe("what?", 0));
  EXPECT_THAT(error, HasSubstr("/worker' what this machine has: "));
  EXPECT_THAT(error, HasSubstr("does not speak this version's protocol"));
}

TEST_F(LocalGpuTest, AnArchitectureBeforeTheOldestIsNamed) {
  runtime::DeviceFacts facts;
  facts.gpus = {gpu(0, 7, 5)};
  EXPECT_FALSE(probe(facts, 0));
  EXPECT_EQ(error, "NVIDIA Test 0 has compute capability 7.5, expected one "
                   "that minic generates for (8.0 or later)");
}

TEST_F(LocalGpuTest, APartOfAGpuIsTunedForItself) {
  runtime::GpuFacts whole = gpu(0), part = whole;
  part.isMig = true;
  part.uuid = "MIG-00";
  part.smCount = 16;
  part.l2Bytes = whole.l2Bytes / 8;
  DeviceProfile all = *profileOf(whole, {}), some = *profileOf(part, {});
  EXPECT_THAT(all.tuningKey, HasSubstr("sms 132"));
  EXPECT_THAT(all.tuningKey, HasSubstr("mig no"));
  EXPECT_THAT(some.tuningKey, HasSubstr("sms 16"));
  EXPECT_THAT(some.tuningKey, HasSubstr("mig yes"));
  EXPECT_NE(all.deviceId, some.deviceId);
  EXPECT_LT(some.peakGflops, all.peakGflops / 8);
  // Where the driver gives no UUID the bus says which it is.
  part.uuid.clear();
  EXPECT_EQ(profileOf(part, {})->deviceId, "0000:3b:00.0");
}

TEST_F(LocalGpuTest, VersionsOfLibrariesAreNoPartOfTheKey) {
  EXPECT_EQ(profileOf(gpu(0), {{"driver", "13.0"}})->tuningKey,
            profileOf(gpu(1), {{"driver", "13.1"}})->tuningKey);
}

TEST_F(LocalGpuTest, TheKeyOfRecordsGivesANamedGpuTheFactsOfTheOneThatHasThem) {
  runtime::GpuFacts odd = gpu(0);
  odd.smCount = 114;
  odd.smClockKHz = 1755500;
  odd.memoryGBs = 3352.32;
  odd.l2Bytes = (50 << 20) + 100;
  DeviceProfile there = *profileOf(odd, {});
  DeviceProfile here = *cuda::getCudaProfile("h100");
  ASSERT_TRUE(setTuningKey(here, there.tuningKey));
  EXPECT_EQ(here.tuningKey, there.tuningKey);
  EXPECT_EQ(here.smCount, 114);
  EXPECT_EQ(here.clockMHz, there.clockMHz);
  EXPECT_EQ(here.l2Bytes, there.l2Bytes);
  EXPECT_EQ(here.memoryGBs, there.memoryGBs);
  EXPECT_EQ(here.peakGflops, there.peakGflops);
  EXPECT_EQ(here.tensorGflops16, there.tensorGflops16);
  EXPECT_EQ(here.tensorGflopsTf32, there.tensorGflopsTf32);
}

TEST_F(LocalGpuTest, AKeyOfSomethingElseIsRefused) {
  DeviceProfile h100 = *cuda::getCudaProfile("h100");
  std::string key = profileOf(gpu(0), {})->tuningKey;
  for (const std::string &other :
       {profileOf(gpu(0, 8, 0), {})->tuningKey, key + " and more",
        std::string("cpu AuthenticAMD family 25"),
        std::string("cuda cc 9.0 sms 0 clock 1980 MHz l2 1 KiB memory 4900 "
                    "GB/s mig no"),
        std::string("cuda cc 9.0 sms 99999999999999999999 clock 1980 MHz l2 1 "
                    "KiB memory 4900 GB/s mig no")}) {
    EXPECT_FALSE(setTuningKey(h100, other)) << other;
  }
  EXPECT_EQ(h100.tuningKey, "profile h100");
  EXPECT_EQ(h100.smCount, 132);
}

} // namespace
} // namespace minic
