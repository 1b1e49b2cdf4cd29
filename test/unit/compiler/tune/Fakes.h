// SPDX-License-Identifier: Apache-2.0
//
// A machine made up: a clock turned by hand, a builder and a worker whose
// candidates behave as a test says.

#ifndef MINIC_TEST_UNIT_COMPILER_TUNE_FAKES_H
#define MINIC_TEST_UNIT_COMPILER_TUNE_FAKES_H

#include "compiler/tune/Autotuner.h"
#include "runtime/measure/RandomData.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <filesystem>
#include <fstream>
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
  bool hangs = false;
  std::string hash = ""; // empty: unique
  uint64_t scratchBytes = 0;
  /// What a library offers for its open call.
  std::vector<runtime::AlgorithmReply> algorithms = {};
  bool crashesWhenAsked = false; // for algorithms
  /// GPU: host time of a run by stream and by graph; negative: refused.
  double streamUs = 0, graphUs = 0;
  /// The same of single calls; 0: as long as back to back.
  double streamCallUs = 0, graphCallUs = 0;
  bool outOfMemory = false; // when timed
  bool losesNan = false;
  int64_t spillBytes = 0;
};

struct FakeMachine {
  FakeClock clock;
  std::map<std::string, FakeCandidate> candidates;
  double drift = 1;         // the machine's speed now
  double driftPerRound = 0; // random walk, relative
  double buildSeconds = 0.05;
  std::mt19937_64 random{7};
  int builds = 0, verifications = 0, restarts = 0;
  std::set<std::string> verified;
  std::function<void()> onVerify;
};

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

class FakeWorker : public Worker {
public:
  explicit FakeWorker(FakeMachine &machine) : machine(machine) {}

  WorkerAnswer ask(const runtime::Request &request,
                   double timeoutSeconds) override {
    return std::visit(
        [&](const auto &typed) { return answer(typed, timeoutSeconds); },
        request);
  }

  std::map<std::string, std::string> loaded; // id to choice
  size_t mostLoaded = 0;
  std::set<std::string> listers; // loaded, but not to run

private:
  WorkerAnswer reply(runtime::Reply reply) {
    return {WorkerAnswer::Fate::Answered, std::move(reply), ""};
  }
  WorkerAnswer die(WorkerAnswer::Fate fate) {
    loaded.clear();
    listers.clear();
    ++machine.restarts;
    return {fate, {}, "killed by signal 11"};
  }
  WorkerAnswer answer(const runtime::LoadRequest &request, double) {
    std::ifstream file(request.path);
    std::string choice;
    if (!std::getline(file, choice)) {
      return {WorkerAnswer::Fate::Refused, {}, "no such file " + request.path};
    }
    loaded[request.id] = choice;
    if (request.onlyListsAlgorithms) {
      listers.insert(request.id);
    }
    mostLoaded = std::max(mostLoaded, loaded.size());
    runtime::LoadReply answer;
    answer.arenaBytes = machine.candidates.at(choice).scratchBytes;
    return reply(answer);
  }
  WorkerAnswer answer(const runtime::VerifyRequest &request, double timeout) {
    const FakeCandidate &candidate =
        machine.candidates.at(loaded.at(request.id));
    EXPECT_FALSE(listers.count(request.id));
    ++machine.verifications;
    machine.verified.insert(loaded.at(request.id));
    if (machine.onVerify) {
      machine.onVerify();
    }
    if (!request.trustedId.empty()) {
      EXPECT_TRUE(loaded.count(request.trustedId));
    }
    if (candidate.crashes) {
      return die(WorkerAnswer::Fate::Crashed);
    }
    if (candidate.hangs) {
      machine.clock.seconds += timeout;
      return die(WorkerAnswer::Fate::Hung);
    }
    machine.clock.seconds += 2e-6 * candidate.us;
    runtime::VerifyReply answer;
    bool isLost = candidate.losesNan && (request.seed & runtime::withNan);
    answer.status = candidate.wrong || isLost ? runtime::VerifyStatus::wrong
                                              : runtime::VerifyStatus::ok;
    answer.worst = candidate.wrong ? INFINITY : 0.25;
    answer.maxAbsoluteError = 1e-6;
    answer.deterministic = true;
    answer.detail = candidate.wrong ? "output y[3]: expected 1, got nan"
                    : isLost        ? "output y[0]: expected nan, got 0"
                                    : "";
    return reply(answer);
  }
  WorkerAnswer answer(const runtime::TimeRequest &request, double) {
    runtime::TimeReply answer;
    std::normal_distribution<double> normal;
    machine.drift *= std::exp(machine.driftPerRound * normal(machine.random));
    std::set<std::string> distinct(request.ids.begin(), request.ids.end());
    for (size_t i = 0; i < request.ids.size(); ++i) {
      EXPECT_TRUE(loaded.count(request.ids[i]));
      EXPECT_FALSE(listers.count(request.ids[i]));
      const FakeCandidate &candidate =
          machine.candidates.at(loaded.at(request.ids[i]));
      if (candidate.crashesInFinal && distinct.size() > 2) {
        return die(WorkerAnswer::Fate::Crashed);
      }
      if (candidate.outOfMemory) {
        WorkerAnswer refusal = {
            WorkerAnswer::Fate::Refused, {}, "out of device memory"};
        refusal.isMachines = true;
        return refusal;
      }
      runtime::RunMode mode =
          request.modes.empty() ? runtime::RunMode::device : request.modes[i];
      bool byGraph = mode == runtime::RunMode::graph ||
                     mode == runtime::RunMode::graphCall;
      if (byGraph && candidate.graphUs < 0) {
        return {WorkerAnswer::Fate::Refused,
                {},
                "graph capture refused: a call cannot be captured"};
      }
      double base = mode == runtime::RunMode::device ? candidate.us
                    : byGraph                        ? candidate.graphUs
                                                     : candidate.streamUs;
      if (mode == runtime::RunMode::graphCall && candidate.graphCallUs > 0) {
        base = candidate.graphCallUs;
      }
      if (mode == runtime::RunMode::streamCall && candidate.streamCallUs > 0) {
        base = candidate.streamCallUs;
      }
      double us = base * machine.drift *
                  std::exp(candidate.noise * std::abs(normal(machine.random)));
      answer.microseconds.push_back(us);
      machine.clock.seconds += 1e-6 * us * double(request.iterations[i]);
    }
    return reply(answer);
  }
  WorkerAnswer answer(const runtime::UnloadRequest &request, double) {
    loaded.erase(request.id);
    listers.erase(request.id);
    return reply(runtime::DoneReply());
  }
  WorkerAnswer answer(const runtime::AlgorithmsRequest &request, double) {
    const FakeCandidate &candidate =
        machine.candidates.at(loaded.at(request.id));
    EXPECT_TRUE(listers.count(request.id));
    if (candidate.crashesWhenAsked) {
      return die(WorkerAnswer::Fate::Crashed);
    }
    if (candidate.algorithms.empty()) {
      return {WorkerAnswer::Fate::Refused, {}, "the algorithm is not open"};
    }
    runtime::AlgorithmsReply answer;
    for (const runtime::AlgorithmReply &algorithm : candidate.algorithms) {
      if (int64_t(answer.algorithms.size()) < request.most &&
          algorithm.scratchBytes <= request.scratchLimit) {
        answer.algorithms.push_back(algorithm);
      }
    }
    return reply(answer);
  }
  WorkerAnswer answer(const runtime::DescribeRequest &, double) {
    return reply(runtime::DeviceFacts());
  }
  WorkerAnswer answer(const runtime::QuitRequest &, double) {
    return reply(runtime::DoneReply());
  }

  FakeMachine &machine;
};

/// A folder for one test, and a database in it.
class TempFolder {
public:
  TempFolder() {
    std::string pattern = testing::TempDir() + "minic-tune-test-XXXXXX";
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    path = pattern;
  }
  ~TempFolder() { std::filesystem::remove_all(path); }
  std::string operator/(const std::string &name) const {
    return path + "/" + name;
  }
  std::unique_ptr<TuningDb>
  openDb(const std::string &name = "tuning.db") const {
    TuningDb::Options options;
    options.path = path + "/" + name;
    auto db = TuningDb::open(options);
    EXPECT_TRUE(db.ok()) << db.status();
    return db.ok() ? *std::move(db) : nullptr;
  }
  std::string path;
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
  task.problem.versions = {"1", "1", "2.6"};
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

#endif // MINIC_TEST_UNIT_COMPILER_TUNE_FAKES_H
