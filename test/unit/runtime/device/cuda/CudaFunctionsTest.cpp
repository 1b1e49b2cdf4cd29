// SPDX-License-Identifier: Apache-2.0
//
// Several functions of one artifact on a GPU: the constants that they use are
// in its memory once.

#include "runtime/program/Program.h"
#include "test/unit/runtime/device/cuda/CudaFixture.h"

#include "runtime/device/Device.h"

namespace minic::runtime {
namespace {

using namespace ::minic::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CudaFunctionsTest : public CudaFixture {
protected:
  /// "main" is 2 * w + 1 and "decode" 2 * v + 1 + w; `v` is used there alone.
  static TestArtifact artifact() {
    TestArtifact artifact = cudaArtifact();
    artifact.output("y", {2});
    uint32_t w = artifact.constant("w", {2}, {1, 2});
    uint32_t v = artifact.constant("v", {2}, {10, 20});
    auto &functions = artifact.metadata.functions;
    functions.push_back(std::make_unique<format::FunctionT>(*functions[0]));
    cudaLaunch(artifact, "scale_f32", 2, {constantAddress(w), outputAddress(0)},
               {2});
    std::swap(functions[0], functions[1]);
    functions[0]->name = "decode";
    artifact.variant().arena_bytes = 256;
    cudaLaunch(artifact, "scale_f32", 2, {constantAddress(v), arenaAddress(0)},
               {2});
    cudaLaunch(artifact, "add_f32", 2,
               {arenaAddress(0), constantAddress(w), outputAddress(0)}, {2});
    return artifact;
  }
  static ProgramOptions named(const char *function) {
    ProgramOptions options;
    options.function = function;
    return options;
  }
  static std::vector<float> run(const Program &program) {
    const Executable &executable = program.executable();
    DeviceFloats arena(executable, std::vector<float>(64));
    DeviceFloats y(executable, {0, 0});
    auto execution =
        executable.createExecution({static_cast<std::byte *>(arena.data())});
    EXPECT_TRUE(execution.ok()) << execution.status();
    void *callers[] = {y.data()};
    EXPECT_TRUE((*execution)->run(callers).ok());
    EXPECT_TRUE((*execution)->synchronize().ok());
    return y.read();
  }
};

TEST_F(CudaFunctionsTest, UploadWhatTheyShareOnce) {
  auto main = Program::loadBytes(artifact().bytes(), named("main"));
  ASSERT_TRUE(main.ok()) << main.status();
  EXPECT_EQ((*main)->executable().constantBytes(), 256u);
  auto decode = (*main)->loadFunction(named("decode"));
  ASSERT_TRUE(decode.ok()) << decode.status();
  EXPECT_EQ((*decode)->executable().constantBytes(), 256u); // v alone
  // Copies went through a stream that ended with the load.
  EXPECT_GT(fake.callsOf("cuStreamCreate"), 0);
  EXPECT_EQ(fake.callsOf("cuStreamCreate"), fake.callsOf("cuStreamDestroy"));
  int before = fake.liveAllocations;
  auto third = (*decode)->loadFunction(named("main"));
  ASSERT_TRUE(third.ok()) << third.status();
  EXPECT_EQ((*third)->executable().constantBytes(), 0u);
  EXPECT_EQ(fake.liveAllocations, before);
  EXPECT_EQ(fake.callsOf("cuModuleLoadDataEx"), 1);
  // The first keeps nothing that the others need.
  main->reset();
  EXPECT_THAT(run(**decode), ElementsAre(22, 43));
  decode->reset();
  EXPECT_THAT(run(**third), ElementsAre(3, 5));
}

TEST_F(CudaFunctionsTest, TimeWithTheirOwnCopiesAlone) {
  auto main = Program::loadBytes(artifact().bytes(), named("main"));
  ASSERT_TRUE(main.ok()) << main.status();
  auto decode = (*main)->loadFunction(named("decode"));
  ASSERT_TRUE(decode.ok()) << decode.status();
  const Executable &executable = (*decode)->executable();
  DeviceFloats copy(executable, std::vector<float>(64));
  ASSERT_TRUE(executable.copyConstants(copy.data(), 1).ok());
  float changed[] = {0, 0};
  ASSERT_TRUE(executable.memory().copyIn(copy.data(), changed, 8).ok());
  DeviceFloats arena(executable, std::vector<float>(64));
  ExecutionOptions options{static_cast<std::byte *>(arena.data())};
  options.constants = copy.data();
  auto execution = executable.createExecution(options);
  ASSERT_TRUE(execution.ok()) << execution.status();
  DeviceFloats y(executable, {0, 0});
  void *callers[] = {y.data()};
  ASSERT_TRUE((*execution)->run(callers).ok());
  EXPECT_THAT(y.read(), ElementsAre(2, 3));
}

TEST_F(CudaFunctionsTest, ShareNothingBetweenDevices) {
  auto main = Program::loadBytes(artifact().bytes(), named("main"));
  ASSERT_TRUE(main.ok()) << main.status();
  ProgramOptions options = named("main");
  options.device = 1;
  auto other = (*main)->loadFunction(options);
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ((*other)->executable().constantBytes(), 256u);
  EXPECT_EQ(fake.callsOf("cuModuleLoadDataEx"), 2);
  EXPECT_THAT(run(**other), ElementsAre(3, 5));
  absl::Status status = (*main)->loadFunction(named("none")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("no function 'none' in the artifact; it has: "));
}

} // namespace
} // namespace minic::runtime
