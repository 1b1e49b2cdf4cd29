// SPDX-License-Identifier: Apache-2.0
//
// AutotunerGpuTest: searches on a GPU with fakes of everything around them.

#ifndef MINIC_TEST_UNIT_COMPILER_TUNE_SEARCH_AUTOTUNERGPUTEST_H
#define MINIC_TEST_UNIT_COMPILER_TUNE_SEARCH_AUTOTUNERGPUTEST_H

#include "test/unit/compiler/tune/FakePool.h"
#include "test/unit/compiler/tune/FakeWorker.h"
#include "test/unit/compiler/tune/TempFolder.h"

#include <gtest/gtest.h>

namespace minic::tune {

class AutotunerGpuTest : public testing::Test {
protected:
  AutotunerGpuTest() {
    options.scratchDirectory = folder.path;
    machine.onVerify = [this] { ++verified; };
  }

  TuningTask makeGpuTask(const std::string &key,
                         const std::vector<FakeCandidate> &specs) {
    TuningTask task = makeTask(machine, key, specs);
    task.onGpu = true;
    task.problem.device = "cuda test";
    task.scratchLimit = 1000;
    for (size_t i = 0; i < specs.size(); ++i) {
      task.candidates[i].expandable =
          !specs[i].algorithms.empty() || specs[i].crashesWhenAsked;
    }
    task.expand = [](const CandidateSpec &candidate,
                     const runtime::AlgorithmReply &algorithm)
        -> absl::StatusOr<CandidateSpec> {
      CandidateSpec expanded = candidate;
      expanded.name += " " + algorithm.name;
      expanded.choice += "/" + algorithm.algorithm;
      return expanded;
    };
    return task;
  }
  std::vector<TunedProblem> tuneAll(const std::vector<TuningTask> &tasks) {
    Autotuner tuner(*db, pool, worker, machine.clock, options);
    auto result = tuner.tune(tasks);
    EXPECT_TRUE(result.ok()) << result.status();
    EXPECT_TRUE(worker.loaded.empty());
    return result.ok() ? *result : std::vector<TunedProblem>(tasks.size());
  }
  TunedProblem tuneOne(const TuningTask &task) { return tuneAll({task})[0]; }
  /// Stops the search once `count` candidates are verified.
  void stopAfter(int count, const TuningTask &task) {
    int before = verified;
    options.stop = [&] { return verified >= before + count; };
    Autotuner tuner(*db, pool, worker, machine.clock, options);
    EXPECT_TRUE(absl::IsCancelled(tuner.tune({&task, 1}).status()));
    options.stop = nullptr;
  }
  /// Candidates whose estimates can be compared.
  TuningTask makeComparableTask(const std::string &key,
                                const std::vector<FakeCandidate> &specs) {
    TuningTask task = makeGpuTask(key, specs);
    for (CandidateSpec &candidate : task.candidates) {
      candidate.kind = "tile";
    }
    return task;
  }
  static std::string chosen(const TunedProblem &tuned) {
    return tuned.record.rows[tuned.selection.row].candidate.name;
  }
  static const Row *find(const TunedProblem &tuned, const std::string &name) {
    for (const Row &row : tuned.record.rows) {
      if (row.candidate.name == name) {
        return &row;
      }
    }
    return nullptr;
  }

  TempFolder folder;
  FakeMachine machine;
  FakePool pool{machine};
  FakeWorker worker{machine};
  std::unique_ptr<TuningDb> db = folder.openDb();
  AutotunerOptions options;
  int verified = 0;
};

} // namespace minic::tune

#endif // MINIC_TEST_UNIT_COMPILER_TUNE_SEARCH_AUTOTUNERGPUTEST_H
