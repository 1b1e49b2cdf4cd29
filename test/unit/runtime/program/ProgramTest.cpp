// SPDX-License-Identifier: Apache-2.0
//
// Loading: which function and variant, which errors.

#include "runtime/program/Program.h"
#include "runtime/device/Device.h"
#include "test/unit/runtime/testing/TestArtifact.h"

#include <gmock/gmock.h>

namespace minic::runtime {
namespace {

using ::testing::HasSubstr;
using namespace ::minic::testing;

absl::StatusOr<std::shared_ptr<const Program>>
load(const TestArtifact &artifact, const ProgramOptions &options = {}) {
  return Program::loadBytes(artifact.bytes(), options);
}

TEST(ProgramTest, tellsItsSignature) {
  TestArtifact artifact = scaleArtifact(20);
  artifact.function().flops = 40;
  artifact.variant().arena_bytes = 128;
  auto program = load(artifact);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ((*program)->inputs()[0].name, "x");
  EXPECT_EQ((*program)->inputs()[0].bytes(), 80);
  EXPECT_EQ((*program)->outputs()[0].dims, std::vector<int64_t>{20});
  EXPECT_EQ((*program)->arenaBytes(), 128u);
  EXPECT_EQ((*program)->flops(), 40u);
  EXPECT_EQ((*program)->threads(), 1);
  EXPECT_FALSE((*program)->callsLibrary());
}

TEST(ProgramTest, namesTheFunctionsThatExist) {
  ProgramOptions options;
  options.function = "forward";
  absl::Status status = load(scaleArtifact(4), options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("no function 'forward' in the artifact; it has: main"));
}

TEST(ProgramTest, loadsAnotherFunctionOfTheSameFile) {
  TestArtifact artifact = scaleArtifact(4);
  auto &functions = artifact.metadata.functions;
  functions.push_back(std::make_unique<format::FunctionT>(*functions[0]));
  functions[1]->name = "decode";
  functions[1]->inputs[0]->name = "token";
  auto program = load(artifact);
  ASSERT_TRUE(program.ok()) << program.status();
  ProgramOptions options;
  options.function = "decode";
  auto other = (*program)->loadFunction(options);
  ASSERT_TRUE(other.ok()) << other.status();
  program->reset();
  EXPECT_EQ((*other)->inputs()[0].name, "token");
  options.function = "none";
  EXPECT_EQ((*other)->loadFunction(options).status().message(),
            "'memory': no function 'none' in the artifact; it has: main, "
            "decode");
}

TEST(ProgramTest, namesTheThreadCountsThatExist) {
  ProgramOptions options;
  options.threads = 3;
  absl::Status status = load(scaleArtifact(4), options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("no plan for 3 threads; it has: 1"));
}

TEST(ProgramTest, takesTheFirstVariantThatRunsHere) {
  TestArtifact artifact = scaleArtifact(4);
  auto &variants = artifact.function().variants;
  variants.insert(variants.begin(),
                  std::make_unique<format::VariantT>(*variants[0]));
  variants[0]->isa = {"avx512quantum"};
  variants[1]->arena_bytes = 64;
  auto program = load(artifact);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ((*program)->arenaBytes(), 64u);
}

TEST(ProgramTest, namesTheFeatureThatTheCpuLacks) {
  TestArtifact artifact = scaleArtifact(4);
  artifact.variant().isa = {"sse2", "avx512quantum"};
  absl::Status status = load(artifact).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("this CPU lacks 'avx512quantum'"));
}

TEST(ProgramTest, refusesATargetThatIsNotBuiltIn) {
  TestArtifact artifact = scaleArtifact(4);
  artifact.variant().target = "tpu";
  absl::Status status = load(artifact).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("no target 'tpu'"));
}

TEST(ProgramTest, namesTheKernelThatIsMissing) {
  TestArtifact artifact = scaleArtifact(4);
  artifact.launch("no_such_kernel", 1, {});
  absl::Status status = load(artifact).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("no kernel 'no_such_kernel'"));
}

TEST(ProgramTest, namesTheFileThatIsMissing) {
  absl::Status status = Program::load("/no/such/file.minic").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("/no/such/file.minic"));
}

TEST(ProgramTest, needsAProviderForExternalConstants) {
  TestArtifact artifact = scaleArtifact(4);
  artifact.constant("w", {4}, {1, 2, 3, 4});
  artifact.metadata.constants[0]->external = true;
  absl::Status status = load(artifact).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("'w' is external"));

  ProgramOptions options;
  options.constants = [](const format::Constant &, const Device &, int) {
    return absl::UnavailableError("no weights today");
  };
  EXPECT_THAT(std::string(load(artifact, options).status().message()),
              HasSubstr("no weights today"));
}

} // namespace
} // namespace minic::runtime
