// SPDX-License-Identifier: Apache-2.0
//
// A kernel that writes where there is no memory. A program of its own, for the
// process has no GPU afterwards.

#include "test/unit/runtime/device/cuda/CudaTestProgram.h"
#include "test/unit/runtime/testing/GpuOrSkip.h"

#include <gmock/gmock.h>

namespace minic::runtime {
namespace {

using namespace ::minic::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;

class CudaIllegalAddressGpuTest : public GpuOrSkip {};

TEST_F(CudaIllegalAddressGpuTest, isReportedAndEverythingAfterSaysSo) {
  TestArtifact artifact = cudaScaleArtifact(1);
  cudaLaunch(artifact, "illegal", 1, {}, {});
  LoadedArtifact loaded(artifact);
  ASSERT_TRUE(loaded.status().ok()) << loaded.status();
  auto execution = loaded.execution();
  ASSERT_TRUE(execution.ok());
  auto x = *loaded->memory().allocate(4), y = *loaded->memory().allocate(4);
  void *callers[] = {x, y};
  EXPECT_TRUE((*execution)->run(callers).ok()); // it is not waited for
  auto lost = AllOf(HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS (700)"),
                    HasSubstr("the CUDA context is lost"));
  absl::Status status = (*execution)->synchronize();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("a run on CUDA device 0 failed"), lost));
  EXPECT_THAT(std::string((*execution)->run(callers).message()),
              AllOf(HasSubstr("launch 'scale_f32'"), lost));
  EXPECT_THAT(std::string(loaded->memory().allocate(4).status().message()),
              lost);
  EXPECT_THAT(std::string(LoadedArtifact(artifact).status().message()), lost);
}

} // namespace
} // namespace minic::runtime
