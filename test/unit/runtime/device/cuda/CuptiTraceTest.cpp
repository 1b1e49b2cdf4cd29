// SPDX-License-Identifier: Apache-2.0
//
// Traces by a fake CUPTI, and by events where it does not work.

#include "test/unit/runtime/device/cuda/CudaFixture.h"

#include <cstdlib>

namespace minic::runtime {
namespace {

using namespace ::minic::testing;

class CuptiTraceTest : public CudaFixture {
protected:
  void TearDown() override {
    unsetenv("MINIC_FAKE_CUPTI");
    CudaFixture::TearDown();
  }

  /// A fill that moves nothing, then three kernels, once.
  absl::StatusOr<RunTrace> trace() {
    TestArtifact artifact = cudaArtifact();
    artifact.output("n", {1}, DType::i64);
    artifact.fill(outputAddress(0), 0, 0);
    for (int i = 0; i < 3; ++i) {
      cudaLaunch(artifact, "increment", 1, {outputAddress(0)}, {1}).block = {1};
    }
    LoadedArtifact loaded(artifact);
    auto execution = loaded.execution();
    if (!execution.ok()) {
      return execution.status();
    }
    DeviceFloats n(*loaded, {0, 0});
    void *callers[] = {n.data()};
    return (*execution)->trace(callers);
  }
};

TEST_F(CuptiTraceTest, commandsHaveTheDevicesTimes) {
  auto trace = this->trace();
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->clock, "CUPTI");
  ASSERT_EQ(trace->commands.size(), 3u);
  for (uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(trace->commands[i].command, i + 1);
    EXPECT_DOUBLE_EQ(trace->commands[i].beginUs, i);
    EXPECT_DOUBLE_EQ(trace->commands[i].endUs, i + 0.6);
  }
  EXPECT_DOUBLE_EQ(trace->spanUs, 2.6);
}

TEST_F(CuptiTraceTest, aCommandOfSeveralKernelsLastsUntilTheEndOfTheLast) {
  setenv("MINIC_FAKE_CUPTI", "two=1", 1);
  auto trace = this->trace();
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_DOUBLE_EQ(trace->commands[1].beginUs, 1);
  EXPECT_DOUBLE_EQ(trace->commands[1].endUs, 2.6);
  EXPECT_DOUBLE_EQ(trace->commands[2].beginUs, 3);
  EXPECT_DOUBLE_EQ(trace->spanUs, 3.6);
}

TEST_F(CuptiTraceTest, eventsTimeWhatCuptiDoesNot) {
  for (const char *fault : {"fail", "blind"}) {
    setenv("MINIC_FAKE_CUPTI", fault, 1);
    auto trace = this->trace();
    ASSERT_TRUE(trace.ok()) << trace.status();
    EXPECT_EQ(trace->clock, "CUDA events") << fault;
    EXPECT_EQ(trace->commands.size(), 3u);
  }
  // Nothing is left on.
  unsetenv("MINIC_FAKE_CUPTI");
  auto trace = this->trace();
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->clock, "CUPTI");
}

} // namespace
} // namespace minic::runtime
