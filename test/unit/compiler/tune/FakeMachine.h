// SPDX-License-Identifier: Apache-2.0
//
// FakeMachine: a clock turned by hand, and candidates that behave as a test
// says.

#ifndef MINIC_TEST_UNIT_COMPILER_TUNE_FAKEMACHINE_H
#define MINIC_TEST_UNIT_COMPILER_TUNE_FAKEMACHINE_H

#include "compiler/tune/search/Autotuner.h"

#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <set>

namespace minic::tune {

class FakeClock : public Clock {
public:
  double now() const override { return seconds; }
  double seconds = 1000;
};

/// How one candidate behaves, by its choice text.
struct FakeCandidate {
  double us = 100;
  double noise = 0; // relative, per measurement
  bool builds = true;
  bool wrong = false;
  bool crashes = false;        // when verified
  bool crashesInFinal = false; // when timed among more than two ids
  bool crashesWhenTimed = false;
  int libraryThreads = 0; // it calls a library on so many; 0: it calls none
  bool hangs = false;
  std::string hash = ""; // empty: unique
  uint64_t scratchBytes = 0;
  /// What a library offers for its open call.
  std::vector<runtime::AlgorithmReply> algorithms = {};
  bool crashesWhenAsked = false; // for algorithms
  /// GPU: host time of a run by stream and by graph; negative: refused.
  double streamUs = 0, graphUs = 0, whenIdleUs = 0;
  /// The same of single calls; 0: as long as back to back.
  double streamCallUs = 0, graphCallUs = 0, whenIdleCallUs = 0;
  double runUs = 0; // of the last request to replay when idle
  /// The same with changed pointers, back to back and of single calls; empty:
  /// no library call uses a tensor of the caller's.
  std::map<runtime::ChangedPointers, std::pair<double, double>> changedUs = {};
  bool outOfMemoryForMore = false; // when timed with changed pointers
  bool outOfMemory = false;        // when timed
  bool losesNan = false;
  int64_t spillBytes = 0;

  /// Microseconds of a run.
  double usOf(runtime::RunMode mode) const {
    auto call = [](double us, double backToBackUs) {
      return us > 0 ? us : backToBackUs;
    };
    switch (mode) {
    case runtime::RunMode::device:
      return us;
    case runtime::RunMode::stream:
      return streamUs;
    case runtime::RunMode::graph:
      return graphUs;
    case runtime::RunMode::whenIdle:
      return whenIdleUs;
    case runtime::RunMode::streamCall:
      return call(streamCallUs, streamUs);
    case runtime::RunMode::graphCall:
      return call(graphCallUs, graphUs);
    case runtime::RunMode::whenIdleCall:
      return call(whenIdleCallUs, whenIdleUs);
    }
  }
};

struct FakeMachine {
  FakeClock clock;
  std::map<std::string, FakeCandidate> candidates;
  double drift = 1;         // the machine's speed now
  double driftPerRound = 0; // random walk, relative
  double buildSeconds = 0.05;
  std::vector<double> smClocksMHz; // after rounds, in turn; empty: unknown
  std::mt19937_64 random{7};
  int builds = 0, verifications = 0, restarts = 0;
  std::set<std::string> verified;
  std::function<void()> onVerify;
  /// By what factor a sample of `choice` is longer, in the round of that number
  /// from 1; the worker says so, unless it does not notice.
  std::function<double(const std::string &choice, int round)> disturb;
  bool isDisturbanceSeen = true;
  int timedRounds = 0;
};

/// A task whose candidates are named "k0", "k1", ... in the order of `specs`.
inline TuningTask makeTask(FakeMachine &machine, const std::string &key,
                           const std::vector<FakeCandidate> &specs) {
  TuningTask task;
  task.problem.key = key;
  task.problem.text = "module {}";
  task.problem.description = "linear(" + key + ")";
  task.problem.device = "cpu test";
  task.problem.deviceName = "Test CPU";
  task.problem.backends = "aten,generated";
  task.problem.versions = {{{"gemm", "1"}, {"minic", "1"}}, "2.6"};
  for (size_t i = 0; i < specs.size(); ++i) {
    CandidateSpec candidate;
    candidate.name = "k" + std::to_string(i);
    candidate.label = "generated";
    candidate.choice = key + "/" + candidate.name;
    candidate.estimateUs = 10.0 * double(i + 1);
    machine.candidates[candidate.choice] = specs[i];
    task.candidates.push_back(candidate);
  }
  task.writeExpected = [](const std::string &path) {
    std::ofstream(path) << "expected";
    return absl::OkStatus();
  };
  return task;
}

} // namespace minic::tune

#endif // MINIC_TEST_UNIT_COMPILER_TUNE_FAKEMACHINE_H
