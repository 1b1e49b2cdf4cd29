// SPDX-License-Identifier: Apache-2.0
//
// FakeWorker: loads, verifies and times what a FakePool built, as its
// FakeMachine says.

#ifndef MINIC_TEST_UNIT_COMPILER_TUNE_FAKEWORKER_H
#define MINIC_TEST_UNIT_COMPILER_TUNE_FAKEWORKER_H

#include "runtime/measure/RandomData.h"
#include "test/unit/compiler/tune/FakeMachine.h"

#include <gtest/gtest.h>

#include <cmath>

namespace minic::tune {

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
  size_t rounds = 0;             // timed

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
    answer.callsLibrary = machine.candidates.at(choice).libraryThreads > 0;
    answer.threads = std::max(machine.candidates.at(choice).libraryThreads, 1);
    answer.libraryUsesCallers =
        !machine.candidates.at(choice).changedUs.empty();
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
    ++machine.timedRounds;
    for (size_t i = 0; i < request.ids.size(); ++i) {
      EXPECT_TRUE(loaded.count(request.ids[i]));
      EXPECT_FALSE(listers.count(request.ids[i]));
      FakeCandidate &candidate =
          machine.candidates.at(loaded.at(request.ids[i]));
      if (candidate.crashesWhenTimed ||
          (candidate.crashesInFinal && distinct.size() > 2)) {
        return die(WorkerAnswer::Fate::Crashed);
      }
      runtime::ChangedPointers changes = request.changes.empty()
                                             ? runtime::ChangedPointers::none
                                             : request.changes[i];
      bool isChanged = changes != runtime::ChangedPointers::none;
      if (candidate.outOfMemory ||
          (isChanged && candidate.outOfMemoryForMore)) {
        WorkerAnswer refusal = {
            WorkerAnswer::Fate::Refused, {}, "out of device memory"};
        refusal.isMachines = true;
        return refusal;
      }
      runtime::RunMode mode =
          request.modes.empty() ? runtime::RunMode::device : request.modes[i];
      bool whenIdle = mode == runtime::RunMode::whenIdle ||
                      mode == runtime::RunMode::whenIdleCall;
      if (whenIdle) {
        candidate.runUs = request.runUs.at(i);
      }
      bool byGraph = mode == runtime::RunMode::graph ||
                     mode == runtime::RunMode::graphCall || whenIdle;
      if (byGraph && candidate.graphUs < 0) {
        return {WorkerAnswer::Fate::Refused,
                {},
                "graph capture refused: a call cannot be captured"};
      }
      double base = candidate.usOf(mode);
      if (isChanged) {
        auto [backToBack, call] = candidate.changedUs.at(changes);
        if (backToBack < 0) {
          return {WorkerAnswer::Fate::Refused,
                  {},
                  std::string("changed pointers refused: cannot ") +
                      runtime::toString(changes)};
        }
        base = mode == runtime::RunMode::graph ? backToBack : call;
      }
      double us = base * machine.drift *
                  std::exp(candidate.noise * std::abs(normal(machine.random)));
      double factor =
          machine.disturb
              ? machine.disturb(loaded.at(request.ids[i]), machine.timedRounds)
              : 1;
      us *= factor;
      answer.microseconds.push_back(us);
      // A CPU's, which is asked for no mode.
      if (request.modes.empty()) {
        answer.firstTakesUs.push_back(us);
        answer.disturbed.push_back(factor != 1 && machine.isDisturbanceSeen);
      }
      // By the host's clock: after an untimed run.
      bool warmsUp = mode != runtime::RunMode::device;
      machine.clock.seconds +=
          1e-6 * us * double(request.iterations[i] + warmsUp);
    }
    if (!machine.smClocksMHz.empty()) {
      answer.smClockMHz =
          machine.smClocksMHz[rounds++ % machine.smClocksMHz.size()];
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

} // namespace minic::tune

#endif // MINIC_TEST_UNIT_COMPILER_TUNE_FAKEWORKER_H
