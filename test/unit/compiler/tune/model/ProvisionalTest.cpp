// SPDX-License-Identifier: Apache-2.0
//
// Searches that were undecided when time ended: when they are made again, and
// what is kept. The tuner's contests are decided here, so that each test puts a
// provisional record in their place.

#include "compiler/tune/database/Provisional.h"
#include "compiler/tune/model/WholeModelVerdicts.h"
#include "test/unit/compiler/tune/FakePool.h"
#include "test/unit/compiler/tune/FakeWorker.h"
#include "test/unit/compiler/tune/TempFolder.h"

#include <gmock/gmock.h>

namespace minic::tune {
namespace {

const Noise loud = {0.38, 2, 2}, quiet = {0.01, 0, 2};

TEST(Provisional, QuieterIsHalfTheOthersOrHalfTheSpread) {
  EXPECT_TRUE(isQuieter(quiet, loud));
  EXPECT_TRUE(isQuieter({0.37, 1, 2}, loud));
  EXPECT_FALSE(isQuieter({0.01, 2, 2}, loud)); // a probe feels less
  EXPECT_TRUE(isQuieter({0.1, 0, 2}, {0.2, 0.2, 2}));
  EXPECT_FALSE(isQuieter({0.15, 0, 2}, {0.2, 0.2, 2}));
  EXPECT_FALSE(isQuieter(loud, loud));
  EXPECT_FALSE(isQuieter({0.37, 1.5, 2}, loud));
  EXPECT_FALSE(isQuieter({0.40, 0, 2}, loud)); // samples still vary as much
  EXPECT_FALSE(isQuieter({0.01, 3, 2}, loud));
  EXPECT_FALSE(isQuieter(quiet, {})); // as on a GPU
  EXPECT_FALSE(isQuieter({}, loud));
}

TEST(Provisional, TheWordsSayHowNoisyItWas) {
  EXPECT_EQ(describeProvisional(loud),
            "provisional: undecided when time ended (2 other processes on 2 "
            "cores: samples vary by 38 %)");
  EXPECT_EQ(describeProvisional({}), "provisional: undecided when time ended");
}

class ProvisionalTest : public testing::Test {
protected:
  ProvisionalTest() {
    options.scratchDirectory = folder.path;
    options.probeNoise = [this] {
      ++probes;
      return now;
    };
    db = folder.openDb();
    task = makeTask(machine, "p", {{120}, {100}});
  }

  /// The same task, searched when the machine was as noisy as `noise` says.
  Record putProvisional(Noise noise, int64_t created = 1) {
    Record record;
    record.problem = task.problem;
    record.state = RecordState::Provisional;
    record.noise = noise;
    record.created = "2026-01-0" + std::to_string(created) + "T00:00:00Z";
    for (const CandidateSpec &candidate : task.candidates) {
      Row &row = record.rows.emplace_back();
      row.candidate = candidate;
      row.status = RowStatus::Verified;
      row.screenUs = 200;
    }
    record.candidates = 2;
    record.coverage = 1;
    auto id = db->begin(record.problem, 2, /*restart=*/true);
    auto stored = db->finish(*id, record);
    EXPECT_TRUE(stored.ok()) << stored.status();
    return *stored;
  }
  TunedProblem tune(const std::vector<TuningTask> &tasks) {
    Autotuner tuner(*db, pool, worker, machine.clock, options);
    auto result = tuner.tune(tasks);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? result->front() : TunedProblem();
  }
  Record stored() { return db->find(task.problem)->record; }

  TempFolder folder;
  FakeMachine machine;
  FakePool pool{machine};
  FakeWorker worker{machine};
  AutotunerOptions options;
  std::unique_ptr<TuningDb> db;
  TuningTask task;
  Noise now = quiet;
  int probes = 0;
};

TEST_F(ProvisionalTest, AQuieterMachineSearchesAgain) {
  putProvisional(loud);
  TunedProblem tuned = tune({task});
  EXPECT_TRUE(tuned.measured);
  EXPECT_EQ(probes, 1);
  EXPECT_EQ(tuned.record.state, RecordState::Complete);
  EXPECT_EQ(stored().state, RecordState::Complete);
  EXPECT_EQ(stored().provisionalSearches, 0);
  EXPECT_EQ(db->records()->size(), 1u);
  EXPECT_FALSE(tune({task}).measured);
  EXPECT_EQ(probes, 1); // a complete record asks nobody
}

TEST_F(ProvisionalTest, ALoudMachineUsesWhatIsThere) {
  putProvisional(loud);
  now = loud;
  TuningTask other = makeTask(machine, "q", {{100}});
  TunedProblem tuned = tune({task, other});
  EXPECT_FALSE(tuned.measured);
  EXPECT_EQ(tuned.record.state, RecordState::Provisional);
  // Though records were looked up twice, since the other problem is searched.
  EXPECT_EQ(probes, 1);
}

TEST_F(ProvisionalTest, ReplayAndWhoDoesNotAskUseWhatIsThere) {
  putProvisional(loud);
  options.replay = true;
  EXPECT_FALSE(tune({task}).measured);
  options.replay = false;
  options.probeNoise = nullptr;
  EXPECT_FALSE(tune({task}).measured);
  EXPECT_EQ(probes, 0);
  EXPECT_EQ(machine.builds, 0);
}

TEST_F(ProvisionalTest, AfterThreeSearchesItIsAHit) {
  for (int64_t search = 1; search <= maxProvisionalSearches; ++search) {
    EXPECT_EQ(putProvisional(loud).provisionalSearches, search);
  }
  EXPECT_FALSE(tune({task}).measured);
  EXPECT_EQ(probes, 0);
  options.retune = true;
  EXPECT_TRUE(tune({task}).measured);
}

TEST_F(ProvisionalTest, WhatWasMeasuredWithLessNoiseIsKept) {
  putProvisional(loud, 1);
  Record kept = putProvisional({0.5, 3, 2}, 2);
  EXPECT_EQ(kept.created, "2026-01-01T00:00:00Z");
  EXPECT_EQ(kept.noise.spread, loud.spread);
  EXPECT_EQ(kept.provisionalSearches, 2);
  EXPECT_EQ(stored().created, kept.created);
  EXPECT_EQ(stored().rows.size(), 2u);
  EXPECT_EQ(db->records()->size(), 1u);
  EXPECT_EQ(putProvisional({0.2, 3, 2}, 3).created, "2026-01-03T00:00:00Z");
  EXPECT_EQ(stored().provisionalSearches, 3);
}

TEST_F(ProvisionalTest, ASearchThatABudgetCutShortReplacesNothing) {
  putProvisional(loud, 1);
  Record partial = stored();
  partial.state = RecordState::Partial;
  partial.created = "2026-01-02T00:00:00Z";
  auto id = db->begin(partial.problem, 2, /*restart=*/true);
  EXPECT_EQ(db->finish(*id, partial)->state, RecordState::Provisional);
  EXPECT_EQ(stored().created, "2026-01-01T00:00:00Z");
  EXPECT_EQ(stored().provisionalSearches, 2);
}

class ProvisionalVerdictTest : public ProvisionalTest {
protected:
  ProvisionalVerdictTest() {
    inputs.planKey = "plan";
    inputs.device = "cpu test";
    inputs.probeNoise = options.probeNoise;
  }
  Verdict put(Noise noise, double ratio) {
    WholeModelResult result;
    Verdict &verdict = result.plans.emplace();
    verdict.plan = verdictKey(inputs, Verdict::kPlansRow);
    verdict.device = inputs.device;
    verdict.backToBack = {10 * ratio, 10, ratio};
    verdict.isProvisional = true;
    verdict.noise = noise;
    EXPECT_TRUE(storeWholeModel(result, *db).ok());
    return *result.plans;
  }
  bool isFound() { return (*findWholeModel(inputs, *db)).has_value(); }

  WholeModelInputs inputs;
};

TEST_F(ProvisionalVerdictTest, IsMeasuredAgainWhereItIsQuieter) {
  put(loud, 0.9);
  EXPECT_FALSE(isFound());
  now = loud;
  EXPECT_TRUE(isFound());
  now = quiet;
  inputs.probeNoise = nullptr; // replay, and who measures nothing
  EXPECT_TRUE(isFound());
}

TEST_F(ProvisionalVerdictTest, IsKeptWhereTheNextHadMoreNoise) {
  EXPECT_EQ(put(loud, 0.9).provisionalSearches, 1);
  Verdict kept = put({0.5, 2, 2}, 1.1);
  EXPECT_EQ(kept.backToBack.ratio, 0.9);
  EXPECT_EQ(kept.provisionalSearches, 2);
  EXPECT_EQ(put({0.3, 2, 2}, 1.1).backToBack.ratio, 1.1);
  EXPECT_TRUE(isFound()); // after three of them
  EXPECT_EQ(probes, 0);
}

TEST_F(ProvisionalVerdictTest, SaysSo) {
  EXPECT_THAT(describe(put(loud, 0.9)),
              testing::HasSubstr("tuned ships; provisional: undecided when "
                                 "time ended (2 other processes"));
}

} // namespace
} // namespace minic::tune
