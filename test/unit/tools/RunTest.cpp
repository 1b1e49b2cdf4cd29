// SPDX-License-Identifier: Apache-2.0
//
// minic-run from outside: results, one line per error, exit codes, and no file
// where something failed.

#include "runtime/measure/ExpectedOutputs.h"
#include "runtime/measure/NpyFile.h"
#include "runtime/measure/RandomData.h"
#include "test/unit/tools/ToolProcess.h"

#include "gmock/gmock.h"

#include <algorithm>

namespace minic::testing {
namespace {

using runtime::DType;
using runtime::NpyArray;
using ::testing::HasSubstr;

constexpr int64_t count = 37;
const std::vector<int64_t> dims = {count};

class RunTest : public ToolTest {
protected:
  void SetUp() override {
    ToolTest::SetUp();
    write("m.minic", scaleArtifact(count));
    tool = copyTool(MINIC_RUN);
  }

  ToolResult run(const std::string &arguments) const {
    return execute(tool + " " + arguments);
  }

  /// One line on stderr with the tool's name, nothing at y.npy.
  void expectError(const std::string &arguments, int exitCode,
                   const std::string &says) const {
    ToolResult result = run(arguments);
    EXPECT_EQ(result.exitCode, exitCode) << arguments << "\n" << result.errors;
    EXPECT_THAT(result.errors, HasSubstr(says)) << arguments;
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1)
        << result.errors;
    EXPECT_EQ(result.errors.rfind("minic-run: ", 0), 0u) << result.errors;
    EXPECT_FALSE(exists("y.npy")) << arguments;
  }

  void writeX(DType dtype = DType::f32,
              std::vector<int64_t> shape = dims) const {
    std::vector<char> zeros(8 * count);
    ASSERT_TRUE(
        runtime::writeNpy(at("x.npy"), {zeros.data(), dtype, shape}).ok());
  }

  std::vector<float> readY() const {
    auto array = runtime::readNpy(at("y.npy"));
    EXPECT_TRUE(array.ok()) << array.status();
    const auto *values = reinterpret_cast<const float *>(array->data.data());
    return {values, values + count};
  }

  /// The reference says y = 2x + 1 + `error` for random inputs of seed 0.
  void writeReference(float error) const {
    std::vector<float> x(count);
    runtime::fillRandom(x.data(), DType::f32, dims, 0, "x");
    runtime::ExpectedOutput expected{.name = "y",
                                     .dtype = DType::f32,
                                     .dims = dims,
                                     .rows = {},
                                     .values = {},
                                     .tolerances =
                                         std::vector<double>(count, 1e-6),
                                     .alternatives = {}};
    for (float value : x) {
      expected.values.push_back(2.0 * value + 1 + error);
    }
    ASSERT_TRUE(
        runtime::writeExpectedOutputs(at("reference"), {expected}).ok());
    writeFakeMinic("echo \"$@\" >" + at("arguments") +
                   "\nfor a in \"$@\"; do case $a in --expected=*) cp " +
                   at("reference") + " \"${a#--expected=}\";; esac; done");
  }

  std::string tool;
};

TEST_F(RunTest, TellsWhereItRan) {
  ToolResult result = run("m.minic --stats --repeat=3 --device=2 --graph=on");
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_THAT(result.output,
              HasSubstr("ran on the CPU; graph: 0 instantiations, 0 updates, "
                        "0 replays, 0 plain runs\n"));
  expectError("m.minic --graph=maybe --output=y.npy", 2, "--graph");
  expectError("m.minic --device=-1 --output=y.npy", 2, "--device");
}

TEST_F(RunTest, RandomInputsAreThoseOfTheSeed) {
  ToolResult result = run("m.minic --seed=7 --output=y.npy");
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  EXPECT_THAT(result.output, HasSubstr("input x: 37xf32, random (seed 7)"));
  EXPECT_THAT(result.output, HasSubstr("output y: 37xf32, min "));
  std::vector<float> x(count), y = readY();
  runtime::fillRandom(x.data(), DType::f32, dims, 7, "x");
  for (int64_t i = 0; i < count; ++i) {
    EXPECT_EQ(y[i], 2 * x[i] + 1);
  }
}

TEST_F(RunTest, FilesInAndOutByNameOrInOrder) {
  writeX();
  for (const char *arguments :
       {"m.minic --input=x.npy --output=y.npy",
        "m.minic --input=x=x.npy --output=y=y.npy --repeat=3",
        "--input x.npy --output y.npy m.minic --function=main --threads=1"}) {
    ToolResult result = run(arguments);
    ASSERT_EQ(result.exitCode, 0) << result.errors;
    EXPECT_THAT(result.output, HasSubstr("min 1, max 1, mean 1"));
    EXPECT_EQ(readY(), std::vector<float>(count, 1));
    std::remove(at("y.npy").c_str());
  }
}

TEST_F(RunTest, BadInput) {
  expectError("missing.minic --output=y.npy", 3, "'missing.minic'");
  expectError("m.minic --output=y.npy --input=none.npy", 3, "'none.npy'");
  expectError("m.minic --output=y.npy --input=z=x.npy", 3,
              "no input named 'z'; the model has: x");
  expectError("m.minic --output=z=y.npy", 3, "no output named 'z'");
  expectError("m.minic --output=y.npy --output=z.npy", 3,
              "one output too many");
  expectError("m.minic --output=y.npy --function=f", 3, "no function 'f'");
  expectError("m.minic --output=y.npy --threads=3", 3, "no plan for 3 threads");
  writeX(DType::f32, {count - 1});
  expectError("m.minic --output=y.npy --input=x.npy", 3,
              "input 'x': expected 37xf32, got 36xf32 in 'x.npy'");
  writeX(DType::f16);
  expectError("m.minic --output=y.npy --input=x.npy", 3,
              "expected 37xf32, got 37xf16");
  writeX(DType::bf16);
  expectError("m.minic --output=y.npy --input=x.npy", 3, "--dtype=bf16");
  expectError("m.minic --output=y.npy --input=x.npy --dtype=bf16", 3,
              "expected 37xf32, got 37xbf16");
  expectError("m.minic --output=none/y.npy", 3, "none/y.npy");
}

TEST_F(RunTest, DamagedArtifact) {
  std::string whole = read("m.minic");
  write("m.minic", whole.substr(0, whole.size() / 2));
  expectError("m.minic --output=y.npy", 3, "m.minic");
  whole[whole.size() - 100] ^= 1;
  write("m.minic", whole);
  expectError("m.minic --output=y.npy", 3, "m.minic");
  write("m.minic", std::string("func.func @main"));
  expectError("m.minic --output=y.npy", 3, "m.minic");
}

TEST_F(RunTest, MachineThatLacksAFeature) {
  TestArtifact artifact = scaleArtifact(count);
  artifact.variant().isa = {"telepathy"};
  write("m.minic", artifact);
  expectError("m.minic --output=y.npy", 4, "telepathy");
}

TEST_F(RunTest, CommandLine) {
  expectError("", 2, "model is required");
  expectError("m.minic --colour", 2, "--colour");
  expectError("m.minic --threads=0", 2, "--threads");
  expectError("m.minic --repeat=0", 2, "--repeat");
  expectError("m.minic --dtype=f64", 2, "--dtype");
  ToolResult help = run("--help");
  EXPECT_EQ(help.exitCode, 0);
  EXPECT_THAT(help.output, HasSubstr("[NAME=]FILE.npy"));
}

TEST_F(RunTest, CheckWithoutMinic) {
  expectError("m.minic --check --output=y.npy", 4, "--check is not built in");
}

TEST_F(RunTest, CheckAgainstTheReference) {
  writeReference(0);
  ToolResult right = run("m.minic --check --output=y.npy");
  EXPECT_EQ(right.exitCode, 0) << right.errors;
  EXPECT_THAT(right.output, HasSubstr("check y: ok, error at most "));
  EXPECT_THAT(read("arguments"),
              HasSubstr("evaluate m.minic --function=main --expected="));
  EXPECT_THAT(read("arguments"), HasSubstr("--input=x="));

  writeReference(0.5f);
  ToolResult wrong = run("m.minic --check --model=m.mlir --output=wrong.npy");
  EXPECT_EQ(wrong.exitCode, 1);
  EXPECT_THAT(wrong.output, HasSubstr("check y: WRONG: output y[0]: expected"));
  EXPECT_THAT(read("arguments"), HasSubstr("evaluate m.mlir "));
}

TEST_F(RunTest, CheckAgainstAFileNeedsNoMinic) {
  writeReference(0);
  std::remove(at("bin/minic").c_str());
  EXPECT_EQ(run("m.minic --expected=reference").exitCode, 0);
  EXPECT_EQ(run("m.minic --expected=reference --seed=1").exitCode, 1);
  expectError("m.minic --expected=none --output=y.npy", 3, "'none'");
  expectError("m.minic --expected=m.minic --output=y.npy", 3,
              "not a file of expected outputs");
  expectError("m.minic --expected=reference --check", 2, "excludes");
}

TEST_F(RunTest, CheckThatCannotBeMade) {
  writeFakeMinic("echo 'minic: error: no weights' >&2; exit 3");
  expectError("m.minic --check --output=y.npy", 3,
              "minic-run: error: --check: no weights");
  writeFakeMinic("exit 4");
  expectError("m.minic --check --output=y.npy", 4, "minic evaluate failed");
  writeFakeMinic("kill -9 $$");
  expectError("m.minic --check --output=y.npy", 5, "minic evaluate failed");
  writeFakeMinic("exit 0");
  expectError("m.minic --check --output=y.npy", 3, "expected");
}

TEST_F(RunTest, LeavesNothingBehind) {
  writeReference(0.5f);
  run("m.minic --check --output=y.npy");
  run("m.minic --output=none/y.npy");
  std::vector<std::string> names = list();
  EXPECT_THAT(names, ::testing::UnorderedElementsAre(
                         "arguments", "bin", "m.minic", "reference", "y.npy"));
}

} // namespace
} // namespace minic::testing
