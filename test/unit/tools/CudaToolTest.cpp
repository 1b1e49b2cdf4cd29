// SPDX-License-Identifier: Apache-2.0
//
// minic-run and minic-bench on programs of GPUs, with the fake driver for one.

#include "test/unit/runtime/device/cuda/CudaTestProgram.h"
#include "test/unit/runtime/device/cuda/FakeCuda.h"
#include "test/unit/tools/ToolProcess.h"

#include "nlohmann/json.hpp"
#include "gmock/gmock.h"

namespace minic::testing {
namespace {

using ::testing::HasSubstr;

class CudaToolTest : public ToolTest {
protected:
  void SetUp() override {
    ToolTest::SetUp();
    TestArtifact artifact = cudaScaleArtifact(100);
    artifact.function().flops = 200;
    write("m.minic", artifact);
  }
  ToolResult runOn(const std::string &driver, const char *tool,
                   const std::string &arguments) const {
    return execute("MINIC_CUDA_DRIVER=" + driver + " " + tool + " " +
                   arguments);
  }
};

TEST_F(CudaToolTest, RunsAndCounts) {
  ToolResult result = runOn(fakeCudaPath(), MINIC_RUN,
                            "m.minic --device=1 --graph=on --repeat=5 --stats");
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  // 2 * x + 1 of x in [-1, 1]
  EXPECT_THAT(result.output, HasSubstr("output y: 100xf32, min -0.9"));
  EXPECT_THAT(result.output,
              HasSubstr("ran on CUDA device 1; graph: 1 instantiations, 0 "
                        "updates, 4 replays, 1 plain runs\n"));
  result = runOn(fakeCudaPath(), MINIC_RUN, "m.minic --repeat=5 --stats");
  EXPECT_THAT(result.output,
              HasSubstr("ran on CUDA device 0; graph: 0 instantiations, 0 "
                        "updates, 0 replays, 5 plain runs\n"));
}

TEST_F(CudaToolTest, SaysWhatIsMissing) {
  ToolResult result = runOn("/no/such/driver", MINIC_RUN, "m.minic");
  EXPECT_EQ(result.exitCode, 4) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("'main' cannot run here: cuda "));
  result = runOn(fakeCudaPath(), MINIC_RUN, "m.minic --device=9");
  EXPECT_EQ(result.exitCode, 4) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("expected an index below 2, got 9"));
}

TEST_F(CudaToolTest, TimesInThreeWays) {
  ToolResult result =
      runOn(fakeCudaPath(), MINIC_BENCH,
            "m.minic --compare=m.minic --rounds=4 --sample-ms=0.1 --graph=on "
            "--json=r.json");
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_THAT(result.output,
              HasSubstr("m.minic on CUDA device 0: device time "));
  EXPECT_THAT(result.output, HasSubstr(", one synchronized call "));
  EXPECT_THAT(result.output, HasSubstr("graph: 1 instantiation, 0 updates, "));
  EXPECT_THAT(result.output, HasSubstr("\ndevice time of m.minic / m.minic: "));
  auto json = nlohmann::json::parse(read("r.json"), nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["rounds"], 4);
  EXPECT_TRUE(json["peaks"].empty());
  const auto &artifact = json["artifacts"][0];
  for (const char *samples :
       {"samples_us", "call_samples_us", "device_samples_us"}) {
    EXPECT_EQ(artifact[samples].size(), 4u) << samples;
  }
  EXPECT_GT(artifact["call_median_us"].get<double>(), 0);
  EXPECT_GT(artifact["graph"]["replays"].get<int64_t>(), 0);
}

// Where they lie would otherwise be a difference between them.
TEST_F(CudaToolTest, ComparedArtifactsShareTensors) {
  constexpr int64_t count = 1 << 20;
  write("large.minic", cudaScaleArtifact(count));
  // Room for the caller's tensors and for those of which the device time is
  // read off, not for either twice.
  uint64_t bytes = 2 * (2 * sizeof(float) * count);
  std::string driver = fakeCudaPath() + (" MINIC_FAKE_CUDA=memory=" +
                                         std::to_string(bytes + bytes / 4));
  for (const char *other : {"large.minic", "m.minic"}) { // alike, and not
    ToolResult result =
        runOn(driver, MINIC_BENCH,
              std::string("large.minic --rounds=1 --sample-ms=0.1 --compare=") +
                  other);
    EXPECT_EQ(result.exitCode, 0) << other << ": " << result.errors;
  }
}

} // namespace
} // namespace minic::testing
