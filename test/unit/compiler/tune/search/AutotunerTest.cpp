// SPDX-License-Identifier: Apache-2.0
//
// The whole search with a made-up builder, worker and clock.

#include "test/unit/compiler/tune/FakePool.h"
#include "test/unit/compiler/tune/FakeWorker.h"
#include "test/unit/compiler/tune/TempFolder.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <set>

namespace minic::tune {
namespace {

using testing::HasSubstr;

class AutotunerTest : public testing::Test {
protected:
  AutotunerTest() {
    options.scratchDirectory = folder.path;
    db = folder.openDb();
  }

  absl::StatusOr<std::vector<TunedProblem>>
  tune(const std::vector<TuningTask> &tasks) {
    Autotuner tuner(*db, pool, worker, machine.clock, options);
    return tuner.tune(tasks);
  }
  TunedProblem tuneOne(const TuningTask &task) {
    auto result = tune({task});
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? result->front() : TunedProblem();
  }
  std::string winner(const TunedProblem &tuned) {
    return tuned.selection.row < 0
               ? ""
               : tuned.record.rows[tuned.selection.row].candidate.name;
  }
  int files() {
    int count = 0;
    for (auto &entry : std::filesystem::directory_iterator(folder.path)) {
      count += entry.path().filename().string().rfind("tuning.db", 0) != 0;
    }
    return count;
  }

  TempFolder folder;
  FakeMachine machine;
  FakePool pool{machine};
  FakeWorker worker{machine};
  AutotunerOptions options;
  std::unique_ptr<TuningDb> db;
};

TEST_F(AutotunerTest, FindsTheFastestAndStoresEveryRow) {
  machine.driftPerRound = 0.02;
  TuningTask task =
      makeTask(machine, "p", {{120}, {100, 0.005}, {150}, {104, 0.005}, {400}});
  TunedProblem tuned = tuneOne(task);
  EXPECT_EQ(winner(tuned), "k1");
  EXPECT_TRUE(tuned.measured);
  EXPECT_EQ(tuned.record.state, RecordState::Complete);
  EXPECT_EQ(tuned.record.coverage, 1);
  auto lookup = db->find(task.problem);
  ASSERT_TRUE(lookup.ok());
  EXPECT_EQ(lookup->freshness, Freshness::Fresh);
  ASSERT_EQ(lookup->record.rows.size(), 5u);
  EXPECT_FALSE(lookup->record.rows[1].samplesUs.empty());
  EXPECT_EQ(lookup->record.rows[4].timeUs, 0); // never a finalist
  EXPECT_GT(lookup->record.rows[4].screenUs, 0);
  EXPECT_EQ(files(), 0) << "artifacts must be gone";
  // At most the anchor and one other while screening, then the finalists.
  EXPECT_LE(worker.mostLoaded, 6u);
  EXPECT_TRUE(worker.loaded.empty());
}

TEST_F(AutotunerTest, ARecordIsUsedWithoutMeasuringAndPicksTheSame) {
  TuningTask task = makeTask(machine, "p", {{120}, {100}, {100.1}});
  std::string first = winner(tuneOne(task));
  int builds = machine.builds;
  machine.candidates["p/k0"].us = 1; // nobody looks
  TunedProblem again = tuneOne(task);
  EXPECT_EQ(winner(again), first);
  EXPECT_FALSE(again.measured);
  EXPECT_EQ(machine.builds, builds);
}

TEST_F(AutotunerTest, AnExhaustiveSearchIsNotAnsweredWithLess) {
  TuningTask few = makeTask(machine, "p", {{30}, {20}});
  few.countLegal = [] { return int64_t(5); };
  TunedProblem guided = tuneOne(few);
  EXPECT_EQ(guided.record.legal, 5);
  EXPECT_EQ(describeCoverage(guided.record), "2 of 5 legal schedules tried");

  TuningTask all = makeTask(machine, "p", {{30}, {20}, {25}, {10}, {40}});
  all.countLegal = [] { return int64_t(5); };
  options.prospects.isExhaustive = true;
  TunedProblem exhaustive = tuneOne(all);
  EXPECT_TRUE(exhaustive.measured);
  EXPECT_EQ(describeCoverage(exhaustive.record),
            "5 of 5 legal schedules tried");
  EXPECT_FALSE(tuneOne(all).measured);
  // It answers whoever asks for fewer.
  options.prospects.isExhaustive = false;
  TunedProblem again = tuneOne(few);
  EXPECT_FALSE(again.measured);
  EXPECT_EQ(again.record.rows.size(), 5u);
}

TEST_F(AutotunerTest, ARefusedSearchBuildsNothing) {
  TuningTask task = makeTask(machine, "p", {{30}, {20}, {10}});
  std::vector<std::pair<int64_t, int>> asked;
  options.confirm = [&](int64_t candidates, int problems) {
    asked.push_back({candidates, problems});
    return absl::CancelledError("not confirmed");
  };
  Autotuner tuner(*db, pool, worker, machine.clock, options);
  absl::Status refused = tuner.tune({&task, 1}).status();
  EXPECT_TRUE(absl::IsCancelled(refused)) << refused;
  EXPECT_EQ(machine.builds, 0);
  EXPECT_EQ(asked, (std::vector<std::pair<int64_t, int>>{{3, 1}}));
  options.confirm = nullptr;
  EXPECT_TRUE(tuneOne(task).measured);
  // Where nothing is left to search nobody is asked.
  options.confirm = [&](int64_t, int) {
    return absl::InternalError("asked in vain");
  };
  EXPECT_FALSE(tuneOne(task).measured);
}

TEST_F(AutotunerTest, SameMachineSamePick) {
  std::set<std::string> picks;
  for (int run = 0; run < 5; ++run) {
    FakeMachine fresh;
    fresh.random.seed(run);
    fresh.driftPerRound = 0.02;
    TuningTask task = makeTask(
        fresh, "p", {{100, 0.003}, {100, 0.003}, {100, 0.003}, {130, 0.003}});
    task.candidates[2].launches = 2;
    FakePool pool(fresh);
    FakeWorker worker(fresh);
    auto db = folder.openDb("run" + std::to_string(run));
    auto result =
        Autotuner(*db, pool, worker, fresh.clock, options).tune({&task, 1});
    ASSERT_TRUE(result.ok()) << result.status();
    picks.insert(winner(result->front()));
  }
  EXPECT_EQ(picks, std::set<std::string>{"k0"});
}

TEST_F(AutotunerTest, WrongCrashingHangingAndUnbuildableAreRecordedAndLose) {
  std::vector<FakeCandidate> specs(6);
  specs[0] = {.us = 1, .wrong = true};
  specs[1] = {.us = 1, .crashes = true};
  specs[2] = {.us = 1, .hangs = true};
  specs[3] = {.us = 1, .builds = false};
  specs[4] = {.us = 50};
  specs[5] = {.us = 70};
  TunedProblem tuned = tuneOne(makeTask(machine, "p", specs));
  EXPECT_EQ(winner(tuned), "k4");
  const std::vector<Row> &rows = tuned.record.rows;
  EXPECT_EQ(rows[0].status, RowStatus::Wrong);
  EXPECT_THAT(rows[0].reason, HasSubstr("expected 1, got nan"));
  EXPECT_EQ(rows[1].status, RowStatus::Crashed);
  EXPECT_THAT(rows[1].reason, HasSubstr("signal 11"));
  EXPECT_EQ(rows[2].status, RowStatus::Hung);
  EXPECT_EQ(rows[3].status, RowStatus::BuildFailed);
  EXPECT_EQ(rows[3].reason, "cannot select");
  EXPECT_EQ(machine.restarts, 2);
  // It is complete: nothing is tried again.
  EXPECT_EQ(tuned.record.state, RecordState::Complete);
}

TEST_F(AutotunerTest, WhatLosesANanIsWrongOnlyWhereItMustKeepIt) {
  TuningTask task =
      makeTask(machine, "p", {{.us = 50, .losesNan = true}, {90}});
  EXPECT_EQ(winner(tuneOne(task)), "k0");
  task = makeTask(machine, "q", {{.us = 50, .losesNan = true}, {90}});
  task.writeExpectedOfNan = task.writeExpected;
  TunedProblem tuned = tuneOne(task);
  EXPECT_EQ(winner(tuned), "k1");
  EXPECT_EQ(tuned.record.rows[0].status, RowStatus::Wrong);
  EXPECT_EQ(tuned.record.rows[0].reason,
            "with a NaN in each input: output y[0]: expected nan, got 0");
  // The errors are those without it.
  EXPECT_EQ(tuned.record.rows[1].worstError, 0.25);
  EXPECT_EQ(files(), 0);
}

TEST_F(AutotunerTest, ACrashInTheFinalCostsOnlyTheCulprit) {
  std::vector<FakeCandidate> specs(4);
  for (int i = 0; i < 4; ++i) {
    specs[i].us = 100 + i;
  }
  TuningTask task = makeTask(machine, "p", specs);
  // Dies when it is timed at all, but only after the screen.
  machine.candidates["p/k0"].crashesInFinal = true;
  TunedProblem tuned = tuneOne(task);
  // Whoever crashes only in company cannot be named; the screen decides.
  EXPECT_EQ(tuned.record.rows[tuned.selection.row].timeUs, 0);
  EXPECT_EQ(winner(tuned), "k0");
  EXPECT_THAT(tuned.selection.reason, HasSubstr("screen"));
}

TEST_F(AutotunerTest, EqualBinariesAreMeasuredOnce) {
  std::vector<FakeCandidate> specs(3);
  specs[0] = {.us = 60, .hash = "same"};
  specs[1] = {.us = 50, .hash = "same"};
  specs[2] = {.us = 70};
  TunedProblem tuned = tuneOne(makeTask(machine, "p", specs));
  EXPECT_EQ(tuned.record.rows[1].status, RowStatus::Duplicate);
  EXPECT_EQ(tuned.record.rows[1].reason, "same binary as k0");
  EXPECT_EQ(machine.verifications, 2);
}

TEST_F(AutotunerTest, SaysSoWhenNothingVerifies) {
  std::vector<FakeCandidate> specs(2);
  specs[0].wrong = specs[1].wrong = true;
  TuningTask task = makeTask(machine, "p", specs);
  auto result = tune({task});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(result.status().message()),
              HasSubstr("linear(p): none of 2 candidates can be used: 2 wrong "
                        "(k0: output y[3]: expected 1, got nan)"));
  // Not a hit, and tried again from the start.
  EXPECT_EQ(db->find(task.problem)->freshness, Freshness::Unfinished);
  machine.candidates["p/k1"].wrong = false;
  EXPECT_EQ(winner(tuneOne(task)), "k1");
  TuningTask empty = makeTask(machine, "q", {});
  EXPECT_THAT(std::string(tune({empty}).status().message()),
              HasSubstr("there is no candidate"));
}

TEST_F(AutotunerTest, BudgetEndsTheSearchWithTheBestSoFar) {
  options.budgetSeconds = 1; // twenty builds take that long
  std::vector<FakeCandidate> specs(40, FakeCandidate{100});
  for (int i = 0; i < 40; ++i) {
    specs[i].us = 200 - i;
  }
  TuningTask p = makeTask(machine, "p", specs);
  TuningTask q = makeTask(machine, "q", specs);
  double start = machine.clock.seconds;
  auto result = tune({p, q});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_LT(machine.clock.seconds - start, 1.2);
  for (const TunedProblem &tuned : *result) {
    EXPECT_EQ(tuned.record.state, RecordState::Partial);
    EXPECT_GT(tuned.record.coverage, 0);
    EXPECT_LT(tuned.record.coverage, 0.5);
    EXPECT_GE(tuned.selection.row, 0);
    EXPECT_EQ(tuned.record.rows[39].status, RowStatus::Skipped);
  }
  // A hit from now on, unless told to start over.
  EXPECT_FALSE(tune({p})->front().measured);
  options.budgetSeconds = 0;
  options.retune = true;
  auto full = tune({p});
  EXPECT_EQ(full->front().record.state, RecordState::Complete);
  EXPECT_EQ(winner(full->front()), "k39");
}

TEST_F(AutotunerTest, NoBudgetIsTooSmallForSomethingThatWorks) {
  options.budgetSeconds = 1e-9;
  std::vector<FakeCandidate> specs(5);
  specs[0].wrong = true;
  specs[1].builds = false;
  TunedProblem tuned = tuneOne(makeTask(machine, "p", specs));
  EXPECT_EQ(winner(tuned), "k2");
  EXPECT_EQ(tuned.record.state, RecordState::Partial);
}

TEST_F(AutotunerTest, ReplayNeverMeasuresAndAMissNamesTheProblem) {
  TuningTask p = makeTask(machine, "p", {{100}});
  TuningTask q = makeTask(machine, "q", {{100}});
  tuneOne(p);
  options.replay = true;
  EXPECT_TRUE(tune({p}).ok());
  int builds = machine.builds;
  auto result = tune({p, q});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(result.status().message()),
              HasSubstr("no tuning record of linear(q) (problem q)"));
  EXPECT_EQ(machine.builds, builds);
  // Nothing was written either.
  EXPECT_EQ(db->find(q.problem)->freshness, Freshness::Miss);
}

TEST_F(AutotunerTest, OtherVersionsMakeARecordStale) {
  TuningTask task = makeTask(machine, "p", {{100}, {90}});
  tuneOne(task);
  task.problem.versions.libraries = "3.0";
  options.replay = true;
  auto result = tune({task});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(result.status().message()),
              HasSubstr("is stale: libraries: 2.6 is now 3.0"));
  options.replay = false;
  TunedProblem tuned = tuneOne(task);
  EXPECT_TRUE(tuned.measured);
  EXPECT_TRUE(tuned.wasStale);
}

TEST_F(AutotunerTest, AnotherDeviceOrSetOfBackendsIsAMiss) {
  TuningTask task = makeTask(machine, "p", {{100}});
  tuneOne(task);
  TuningTask other = task;
  other.problem.device = "cpu other";
  EXPECT_EQ(db->find(other.problem)->freshness, Freshness::Miss);
  other = task;
  other.problem.backends = "aten";
  EXPECT_EQ(db->find(other.problem)->freshness, Freshness::Miss);
}

TEST_F(AutotunerTest, AnInterruptKeepsWhatWasMeasuredAndResumes) {
  std::vector<FakeCandidate> specs(6, FakeCandidate{100});
  specs[5].us = 80;
  TuningTask task = makeTask(machine, "p", specs);
  options.stop = [&] { return machine.verifications >= 3; };
  auto result = tune({task});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kCancelled);
  auto lookup = db->find(task.problem);
  EXPECT_EQ(lookup->freshness, Freshness::Unfinished);
  EXPECT_EQ(lookup->record.rows.size(), 3u);
  options.stop = nullptr;
  machine.verified.clear();
  EXPECT_EQ(winner(tuneOne(task)), "k5");
  EXPECT_FALSE(machine.verified.count("p/k1")) << "was verified already";
  EXPECT_EQ(files(), 0);
}

TEST_F(AutotunerTest, ProgressCountsDown) {
  std::vector<TuningProgress> seen;
  options.progress = [&](const TuningProgress &p) { seen.push_back(p); };
  TuningTask p = makeTask(machine, "p", {{100}, {110}});
  TuningTask q = makeTask(machine, "q", {{100}, {110}});
  ASSERT_TRUE(tune({p, q}).ok());
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.front().problems, 2);
  EXPECT_STREQ(seen.front().phase, "build");
  EXPECT_EQ(seen.front().candidatesLeft, 3);
  EXPECT_EQ(seen.back().problem, 2);
  EXPECT_STREQ(seen.back().phase, "final");
  EXPECT_EQ(seen.back().description, "linear(q)");
}

TEST_F(AutotunerTest, AWorkerThatCannotStartIsOneErrorAndNoRows) {
  struct NoWorker : Worker {
    WorkerAnswer ask(const runtime::Request &, double) override {
      return {WorkerAnswer::Fate::Missing, {}, "cannot run '/x/minic-worker'"};
    }
  } none;
  TuningTask task = makeTask(machine, "p", {{100}, {110}});
  auto result =
      Autotuner(*db, pool, none, machine.clock, options).tune({&task, 1});
  EXPECT_EQ(result.status().message(), "cannot run '/x/minic-worker'");
  EXPECT_TRUE(db->find(task.problem)->record.rows.empty());
  EXPECT_EQ(files(), 0);
}

} // namespace
} // namespace minic::tune
