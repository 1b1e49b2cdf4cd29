// SPDX-License-Identifier: Apache-2.0
//
// Fusions as problems: equal ones are equal text, and a problem can be built
// and evaluated.

#include "compiler/tune/bridge/Problem.h"

#include "compiler/driver/Compiler.h"
#include "compiler/target/Candidates.h"
#include "compiler/target/cuda/CudaProfile.h"
#include "compiler/tune/bridge/BuildWorker.h"
#include "compiler/tune/bridge/ExpectedValues.h"
#include "runtime/measure/ExpectedOutputs.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace mlir;
using testing::HasSubstr;

namespace minic::tune {
namespace {

class ProblemTest : public testing::Test {
protected:
  kernel::FusionOp parse(const std::string &text) {
    modules.push_back(parseSourceString<ModuleOp>(text, context.get()));
    kernel::FusionOp found;
    if (modules.back()) {
      modules.back()->walk([&](kernel::FusionOp fusion) { found = fusion; });
    }
    EXPECT_TRUE(found);
    return found;
  }
  std::string textOf(const std::string &text) {
    kernel::FusionOp fusion = parse(text);
    canonicalizeBody(fusion);
    OwningOpRef<ModuleOp> problem = outlineProblem(fusion, setting);
    EXPECT_TRUE(succeeded(mlir::verify(*problem)));
    return printProblem(*problem);
  }

  std::unique_ptr<MLIRContext> context = createCompilerContext();
  std::vector<OwningOpRef<ModuleOp>> modules;
  ProblemSetting setting;
};

constexpr const char *one = R"(
func.func @main(%x: tensor<3x7xf32>, %r: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %w = graph.constant @"a.weight" : tensor<5x7xf32>
  %b = graph.constant @"a.bias" : tensor<5xf32>
  %0 = kernel.fusion (%x0 = %x : tensor<3x7xf32>, %w0 = %w : tensor<5x7xf32>,
      %b0 = %b : tensor<5xf32>, %r0 = %r : tensor<3x5xf32>) -> tensor<3x5xf32> {
    %1 = graph.linear %x0, %w0, %b0 : (tensor<3x7xf32>, tensor<5x7xf32>, tensor<5xf32>) -> tensor<3x5xf32>
    %2 = graph.relu %r0 : tensor<3x5xf32>
    %3 = graph.add %1, %2 : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
    kernel.yield %3 : tensor<3x5xf32>
  }
  return %0 : tensor<3x5xf32>
})";

/// The same with other names, operand order and op order.
constexpr const char *same = R"(
func.func @other(%q: tensor<3x5xf32>, %p: tensor<3x7xf32>) -> tensor<3x5xf32> {
  %b = graph.constant @"z.bias" : tensor<5xf32>
  %w = graph.constant @"z.weight" : tensor<5x7xf32>
  %0 = kernel.fusion (%r0 = %q : tensor<3x5xf32>, %b0 = %b : tensor<5xf32>,
      %w0 = %w : tensor<5x7xf32>, %x0 = %p : tensor<3x7xf32>) -> tensor<3x5xf32> {
    %2 = graph.relu %r0 : tensor<3x5xf32>
    %1 = graph.linear %x0, %w0, %b0 : (tensor<3x7xf32>, tensor<5x7xf32>, tensor<5xf32>) -> tensor<3x5xf32>
    %3 = graph.add %1, %2 : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
    kernel.yield %3 : tensor<3x5xf32>
  }
  return %0 : tensor<3x5xf32>
})";

TEST_F(ProblemTest, EqualFusionsAreEqualText) {
  std::string text = textOf(one);
  EXPECT_EQ(text, textOf(same));
  EXPECT_THAT(text, HasSubstr("func.func @problem("));
  EXPECT_THAT(text, HasSubstr("kernel.role = \"constant\""));
  EXPECT_THAT(text, testing::Not(HasSubstr("weight")));
  EXPECT_EQ(problemKey(text).size(), 32u);
}

// Databases hold this text's hash: a shorter form of an op's types, which other
// printing has, would lose every record.
TEST_F(ProblemTest, TypesAreSpelledOut) {
  EXPECT_THAT(textOf(one),
              HasSubstr("graph.add %0, %1 : (tensor<3x5xf32>, tensor<3x5xf32>) "
                        "-> tensor<3x5xf32>"));
}

TEST_F(ProblemTest, WhateverDecidesSpeedIsInTheKey) {
  std::string text = textOf(one);
  std::set<std::string> keys = {problemKey(text)};
  auto changed = [&](const std::string &what) {
    EXPECT_TRUE(keys.insert(problemKey(textOf(one))).second) << what;
  };
  setting.threads = 2;
  changed("threads");
  setting.cold = true;
  changed("residency");
  setting.isa = "v3";
  changed("isa");
  setting.alignment = 16;
  changed("alignment");
  // A weight that is an input may not be packed ahead.
  setting = ProblemSetting();
  std::string input = one;
  size_t at = input.find("%w = graph.constant @\"a.weight\"");
  input.erase(at, input.find('\n', at) - at);
  input.replace(input.find("%r: tensor<3x5xf32>"), 0, "%w: tensor<5x7xf32>, ");
  EXPECT_TRUE(keys.insert(problemKey(textOf(input))).second);
}

TEST_F(ProblemTest, SettingRoundTrips) {
  setting.threads = 3;
  setting.cold = true;
  setting.isa = "v3";
  auto problem = parseSourceString<ModuleOp>(textOf(one), context.get());
  auto read = readSetting(*problem);
  ASSERT_TRUE(succeeded(read));
  EXPECT_EQ(read->threads, 3);
  EXPECT_TRUE(read->cold);
  EXPECT_EQ(read->isa, "v3");
}

TEST_F(ProblemTest, EveryCandidateBuilds) {
  std::string folder = testing::TempDir() + "minic-problem-test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/p.mlir") << textOf(one);
  kernel::FusionOp fusion = parse(same);
  canonicalizeBody(fusion);
  std::unique_ptr<Target> target = createCpuTarget(1, "");
  std::vector<std::string> why;
  std::vector<Candidate> candidates =
      enumerateCandidates(fusion, *target, {}, why);
  EXPECT_GE(candidates.size(), 3u);
  for (const Candidate &candidate : candidates) {
    BuildJob job{folder + "/p.mlir", "", folder + "/p.minic"};
    llvm::raw_string_ostream(job.choice) << Attribute(candidate.choice);
    BuildOutcome outcome = buildCandidate(*context, job);
    EXPECT_TRUE(outcome.ok) << candidate.name << ": " << outcome.error;
    EXPECT_EQ(outcome.binaryHash.size(), 32u);
  }
  auto problem = parseSourceFile<ModuleOp>(folder + "/p.mlir", context.get());
  absl::Status status =
      writeExpectedValues(*problem, 1, 2, folder + "/p.expected");
  ASSERT_TRUE(status.ok()) << status;
  auto expected = runtime::readExpectedOutputs(folder + "/p.expected");
  ASSERT_TRUE(expected.ok());
  EXPECT_EQ(expected->front().name, "result0");
  std::filesystem::remove_all(folder);
}

// A candidate's hash is of its code: what schedules are called is not in it.
TEST_F(ProblemTest, EqualCodeHasOneHash) {
  std::string folder = testing::TempDir() + "minic-problem-hash-test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/p.mlir") << textOf(one);
  kernel::FusionOp fusion = parse(same);
  canonicalizeBody(fusion);
  std::unique_ptr<Target> target = createCpuTarget(1, "");
  std::vector<std::string> why;
  std::vector<Candidate> candidates =
      enumerateCandidates(fusion, *target, {BackendLabel::Generated}, why);
  ASSERT_FALSE(candidates.empty()) << llvm::join(why, "; ");
  std::string choice;
  llvm::raw_string_ostream(choice) << Attribute(candidates.front().choice);
  auto hashOf = [&](const std::string &from, const std::string &to) {
    BuildJob job{folder + "/p.mlir", choice, folder + "/p.minic"};
    size_t at = job.choice.find(from);
    EXPECT_NE(at, std::string::npos) << choice;
    job.choice.replace(at, from.size(), to);
    BuildOutcome outcome = buildCandidate(*context, job);
    EXPECT_TRUE(outcome.ok) << outcome.error;
    return outcome.binaryHash;
  };
  // One column tile is all of them.
  std::string all = hashOf("tc = 0", "tc = 0");
  EXPECT_EQ(hashOf("tc = 0", "tc = 1"), all);
  EXPECT_NE(hashOf("ku = 4", "ku = 2"), all);
  std::filesystem::remove_all(folder);
}

// Whether one that spills is worth a look is the tuner's to say.
TEST_F(ProblemTest, CandidatesThatSpillAreBuilt) {
  std::string folder = testing::TempDir() + "minic-problem-spill-test";
  std::filesystem::create_directories(folder);
  DeviceProfile h200 = *cuda::getCudaProfile("h200");
  setting.target = h200.target;
  std::string text = R"(
func.func @main(%x: tensor<17x31xbf16>) -> tensor<17x1000xbf16> {
  %w = graph.constant @w : tensor<1000x31xbf16>
  %0 = kernel.fusion (%x0 = %x : tensor<17x31xbf16>, %w0 = %w : tensor<1000x31xbf16>) -> tensor<17x1000xbf16> {
    %1 = graph.linear %x0, %w0 : (tensor<17x31xbf16>, tensor<1000x31xbf16>) -> tensor<17x1000xbf16>
    kernel.yield %1 : tensor<17x1000xbf16>
  }
  return %0 : tensor<17x1000xbf16>
})";
  std::ofstream(folder + "/p.mlir") << textOf(text);
  kernel::FusionOp fusion = parse(text);
  canonicalizeBody(fusion);
  std::vector<std::string> why;
  int spilling = 0;
  for (const Candidate &candidate : enumerateCandidates(
           fusion, *createCudaTarget(h200), {BackendLabel::Generated}, why)) {
    if (!StringRef(candidate.name).contains("gemm_skinny 16 mma")) {
      continue;
    }
    BuildJob job{folder + "/p.mlir", "", folder + "/p.minic"};
    llvm::raw_string_ostream(job.choice) << Attribute(candidate.choice);
    BuildOutcome outcome =
        buildCandidate(*context, job, {&h200, /*plugins=*/{}});
    EXPECT_TRUE(outcome.ok) << candidate.name << ": " << outcome.error;
    spilling += outcome.spillBytes > 0;
  }
  EXPECT_GT(spilling, 0) << "none of these spills any more: take others";
  std::filesystem::remove_all(folder);
}

TEST_F(ProblemTest, BadBuildsAreReasonsNotCrashes) {
  std::string folder = testing::TempDir() + "minic-problem-bad-test";
  std::filesystem::create_directories(folder);
  std::string path = folder + "/p.mlir";
  auto errorOf = [&](const std::string &text, const std::string &choice) {
    std::ofstream(path) << text;
    BuildOutcome outcome =
        buildCandidate(*context, {path, choice, folder + "/p.minic"});
    EXPECT_FALSE(outcome.ok);
    return outcome.error;
  };
  std::string good = textOf(one);
  EXPECT_THAT(errorOf(good, "nonsense"), testing::Not(""));
  EXPECT_THAT(errorOf("nonsense", "unit"), HasSubstr("p.mlir"));
  EXPECT_THAT(errorOf("module {}", "unit"), HasSubstr("is not a problem"));
  EXPECT_THAT(errorOf(good, "unit"), HasSubstr("expects a #kernel.choice"));
  // Parts that do not cover the body; a family that is not there.
  EXPECT_THAT(errorOf(good, "#kernel.choice<parts = [<ops = [0], impl = "
                            "#kernel.impl<family = \"x\", schedule = {}>, "
                            "operands = []>]>"),
              testing::Not(""));
  EXPECT_THAT(errorOf(good, "#kernel.choice<parts = [<ops = [0, 1, 2], impl = "
                            "#kernel.impl<family = \"x\", schedule = {}>, "
                            "operands = [unit, unit, unit, unit]>]>"),
              HasSubstr("x"));
  EXPECT_FALSE(std::filesystem::exists(folder + "/p.minic"));
  std::filesystem::remove_all(folder);
}

} // namespace
} // namespace minic::tune
