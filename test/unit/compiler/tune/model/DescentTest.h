// SPDX-License-Identifier: Apache-2.0
//
// The fixture of descents: problems with candidates "a", "b", ..., and plans
// named by what each problem takes ("aba"), whose times a test says.

#ifndef MINIC_TEST_UNIT_COMPILER_TUNE_MODEL_DESCENTTEST_H
#define MINIC_TEST_UNIT_COMPILER_TUNE_MODEL_DESCENTTEST_H

#include "compiler/tune/model/Descent.h"
#include "test/unit/compiler/tune/FakeWorker.h"
#include "test/unit/compiler/tune/TempFolder.h"

#include "gmock/gmock.h"

#include <filesystem>
#include <fstream>

namespace minic::tune {

class DescentTest : public testing::Test {
protected:
  DescentTest() {
    inputs.model.planKey = "start";
    inputs.model.device = "cpu";
    inputs.model.description = "@main";
    inputs.model.versions = {{{"gemm", "1"}}, ""};
    inputs.build = [this](const Choices &choices) { return build(choices); };
    inputs.progress = [this](const DescentProgress &progress) {
      said.push_back(formatProgress(progress));
    };
  }

  static std::string nameOf(const Choices &choices) {
    std::string name;
    for (int choice : choices) {
      name += char('a' + choice);
    }
    return name;
  }
  /// A problem of so many candidates.
  void addProblem(int candidates) {
    DescentProblem &problem = inputs.problems.emplace_back();
    problem.key = "p" + std::to_string(inputs.problems.size() - 1);
    problem.description = "linear(" + problem.key + ")";
    for (int i = 0; i < candidates; ++i) {
      problem.candidates.push_back(std::string(1, char('a' + i)));
    }
  }
  absl::StatusOr<std::string> build(const Choices &choices) {
    std::string name = nameOf(choices);
    built.push_back(name);
    machine.clock.seconds += buildSeconds;
    if (name == unbuildable) {
      return absl::InternalError("codegen gave up");
    }
    if (!machine.candidates.count(name)) {
      machine.candidates[name] = {.us = 100, .noise = noise};
    }
    std::string path = folder / "plan" + std::to_string(built.size());
    std::ofstream(path) << name;
    return path;
  }
  absl::StatusOr<DescentResult> tryDescend() {
    double begun = machine.clock.now();
    auto result = descend(inputs, *db, worker, machine.clock);
    seconds = machine.clock.now() - begun;
    EXPECT_TRUE(worker.loaded.empty());
    // Artifacts do not stay behind.
    for (const auto &file : std::filesystem::directory_iterator(folder.path)) {
      EXPECT_THAT(file.path().filename().string(),
                  testing::Not(testing::StartsWith("plan")));
    }
    return result;
  }
  DescentResult descendTo(const std::string &expected) {
    auto result = tryDescend();
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) {
      return {};
    }
    EXPECT_EQ(nameOf(result->choices), expected) << describe(result->verdict);
    EXPECT_EQ(result->verdict.tunedShips,
              result->choices != Choices(inputs.problems.size(), 0));
    return *result;
  }
  std::optional<DescentResult> find() {
    auto found = findDescent(inputs, *db);
    EXPECT_TRUE(found.ok()) << found.status();
    return found.ok() ? *found : std::nullopt;
  }

  TempFolder folder;
  FakeMachine machine;
  FakeWorker worker{machine};
  std::unique_ptr<TuningDb> db = folder.openDb();
  DescentInputs inputs;
  std::vector<std::string> built, said;
  std::string unbuildable;
  double noise = 0.002; // of plans without times
  double buildSeconds = 0.05;
  double seconds = 0; // of the last descent
};

} // namespace minic::tune

#endif // MINIC_TEST_UNIT_COMPILER_TUNE_MODEL_DESCENTTEST_H
