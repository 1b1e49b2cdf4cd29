// SPDX-License-Identifier: Apache-2.0
//
// Blocks that share a row on a GPU: what the interpreter takes for granted
// about fences, counters, launches that begin early, and clusters.

#include "test/unit/runtime/device/cuda/CudaTestProgram.h"
#include "test/unit/runtime/testing/GpuOrSkip.h"

#include <cmath>
#include <cstring>
#include <random>

namespace minic::cuda {
namespace {

using namespace ::minic::testing;

/// split-rows.mlir as PTX.
const char *const splitRowsPtx =
#include "test/unit/compiler/target/cuda/rows/SplitRowsPtx.inc"
    ;

constexpr int64_t kColumns = 50257, kBlocks = 24, kThreads = 128;
constexpr uint64_t kCounters = 0, kWorkspace = 64;
using Row = std::vector<float>;

class SplitRowsGpuTest : public GpuOrSkip {
protected:
  void SetUp() override {
    GpuOrSkip::SetUp();
    if (!IsSkipped() && !HasFatalFailure() &&
        !context->attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH)) {
      giveUp("the GPU has no clusters");
    }
    std::mt19937 random(1);
    std::uniform_real_distribution<float> uniform(-8, 8);
    for (float &each : x) {
      each = uniform(random);
    }
  }

  TestArtifact artifactFor(int64_t results) {
    TestArtifact artifact = cudaArtifact();
    const auto *text = reinterpret_cast<const std::byte *>(splitRowsPtx);
    setBinary(artifact, format::BinaryKind::ptx,
              {text, text + std::strlen(splitRowsPtx)});
    artifact.input("x", {kColumns});
    artifact.output("y", {results});
    artifact.variant().arena_bytes = 4096;
    artifact.variant().zeroed_bytes = 64;
    return artifact;
  }

  /// The results of some runs, which must be equal to the last bit.
  Row run(const TestArtifact &artifact, int64_t results) {
    Row first;
    LoadedArtifact loaded(artifact);
    EXPECT_TRUE(loaded.status().ok()) << loaded.status();
    if (!loaded.status().ok()) {
      return first;
    }
    DeviceFloats from(*loaded, x), to(*loaded, Row(size_t(results), -7));
    auto execution = loaded.execution();
    EXPECT_TRUE(execution.ok()) << execution.status();
    for (int i = 0; execution.ok() && i != 20; ++i) {
      void *callers[] = {from.data(), to.data()};
      EXPECT_TRUE((*execution)->run(callers).ok());
      absl::Status status = (*execution)->synchronize();
      EXPECT_TRUE(status.ok()) << status;
      first = i == 0 ? to.read() : first;
      EXPECT_EQ(std::memcmp(first.data(), to.read().data(), 4 * first.size()),
                0)
          << i;
    }
    return first;
  }

  void checkSoftmax(const Row &got) {
    ASSERT_EQ(got.size(), x.size());
    double most = *std::max_element(x.begin(), x.end()), sum = 0;
    for (float each : x) {
      sum += std::exp(each - most);
    }
    for (size_t i = 0; i != x.size(); ++i) {
      double want = std::exp(x[i] - most) / sum;
      ASSERT_NEAR(got[i], want, 0x1p-20 * want) << i;
    }
  }

  Row x = Row(size_t(kColumns));
};

TEST_F(SplitRowsGpuTest, SoftmaxInLaunches) {
  TestArtifact artifact = artifactFor(kColumns);
  for (const char *entry : {"greatest", "sum", "quotients"}) {
    format::LaunchT &launch = cudaLaunch(
        artifact, entry, kBlocks * kThreads,
        {inputAddress(0), outputAddress(0), arenaAddress(kWorkspace)}, {});
    launch.shared_bytes = 264;
    launch.programmatic = true;
  }
  checkSoftmax(run(artifact, kColumns));
}

TEST_F(SplitRowsGpuTest, SumByTheLastBlock) {
  TestArtifact artifact = artifactFor(1);
  format::LaunchT &launch =
      cudaLaunch(artifact, "total", kBlocks * kThreads,
                 {inputAddress(0), outputAddress(0), arenaAddress(kWorkspace),
                  arenaAddress(kCounters)},
                 {});
  launch.shared_bytes = 136;
  launch.programmatic = true;
  Row got = run(artifact, 1);
  ASSERT_EQ(got.size(), 1u);
  double sum = 0, magnitude = 0;
  for (float each : x) {
    sum += double(each);
    magnitude += std::abs(double(each));
  }
  EXPECT_NEAR(got[0], sum, 0x1p-20 * magnitude);
}

TEST_F(SplitRowsGpuTest, SoftmaxInACluster) {
  TestArtifact artifact = artifactFor(kColumns);
  format::LaunchT &launch = cudaLaunch(artifact, "cluster", 8 * kThreads,
                                       {inputAddress(0), outputAddress(0)}, {});
  launch.block = {512};
  launch.cluster = {8};
  launch.shared_bytes = 768;
  launch.programmatic = true;
  checkSoftmax(run(artifact, kColumns));
}

} // namespace
} // namespace minic::cuda
