// SPDX-License-Identifier: Apache-2.0
//
// Programs on a machine without a CUDA driver. CMakeLists.txt names one that
// does not exist.

#include "runtime/program/Program.h"
#include "test/unit/runtime/device/cuda/CudaTestProgram.h"

#include <gmock/gmock.h>

namespace minic::runtime {
namespace {

using namespace ::minic::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(CudaMissingTest, isNamedWhenTheProgramNeedsIt) {
  absl::Status status =
      Program::loadBytes(cudaScaleArtifact(4).bytes()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("function 'main' cannot run here"),
                    HasSubstr("no CUDA driver"), HasSubstr("no-such-driver")));
}

TEST(CudaMissingTest, isNamedByTheDeviceItself) {
  LoadedArtifact loaded(cudaScaleArtifact(4));
  EXPECT_EQ(loaded.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(loaded.status().message()),
              HasSubstr("no CUDA driver"));
}

TEST(CudaMissingTest, isNotMissedWhereAVariantForTheCpuIsThereToo) {
  TestArtifact artifact = scaleArtifact(4);
  TestArtifact cuda = cudaScaleArtifact(4);
  format::BinaryT binary = *cuda.metadata.binaries[0];
  binary.offset = artifact.binaries.size();
  artifact.binaries.insert(artifact.binaries.end(), cuda.binaries.begin(),
                           cuda.binaries.end());
  artifact.metadata.binaries.push_back(
      std::make_unique<format::BinaryT>(binary));
  cuda.variant().run[0]->operation.AsLaunch()->binary = 1;
  artifact.function().variants.insert(artifact.function().variants.begin(),
                                      std::move(cuda.function().variants[0]));
  absl::StatusOr<std::shared_ptr<const Program>> program =
      Program::loadBytes(artifact.bytes());
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ((*program)->place().type, 1);
}

} // namespace
} // namespace minic::runtime
