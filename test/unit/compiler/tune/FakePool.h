// SPDX-License-Identifier: Apache-2.0
//
// FakePool: builds the candidates of a FakeMachine.

#ifndef MINIC_TEST_UNIT_COMPILER_TUNE_FAKEPOOL_H
#define MINIC_TEST_UNIT_COMPILER_TUNE_FAKEPOOL_H

#include "test/unit/compiler/tune/FakeMachine.h"

#include <gtest/gtest.h>

#include <deque>
#include <filesystem>

namespace minic::tune {

/// The "artifact" is a file that holds the choice.
class FakePool : public BuildPool {
public:
  explicit FakePool(FakeMachine &machine) : machine(machine) {}

  void add(size_t id, const BuildJob &job) override {
    waiting.push_back({id, job});
  }
  void dropWaiting() override { waiting.clear(); }
  size_t pending() const override { return waiting.size(); }

  /// One job a call.
  absl::Status pump(double, const Done &done) override {
    if (waiting.empty()) {
      return absl::OkStatus();
    }
    auto [id, job] = waiting.front();
    waiting.pop_front();
    const FakeCandidate &candidate = machine.candidates.at(job.choice);
    machine.clock.seconds += machine.buildSeconds;
    ++machine.builds;
    EXPECT_TRUE(std::filesystem::exists(job.problemPath));
    BuildOutcome outcome;
    outcome.ok = candidate.builds;
    outcome.buildMs = machine.buildSeconds * 1000;
    outcome.error = candidate.builds ? "" : "cannot select";
    outcome.spillBytes = candidate.spillBytes;
    outcome.binaryHash = !candidate.builds        ? ""
                         : candidate.hash.empty() ? "hash " + job.choice
                                                  : candidate.hash;
    if (candidate.builds) {
      std::ofstream(job.outputPath) << job.choice;
    }
    done(id, outcome);
    return absl::OkStatus();
  }

private:
  FakeMachine &machine;
  std::deque<std::pair<size_t, BuildJob>> waiting;
};

} // namespace minic::tune

#endif // MINIC_TEST_UNIT_COMPILER_TUNE_FAKEPOOL_H
