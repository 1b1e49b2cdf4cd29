// SPDX-License-Identifier: Apache-2.0
//
// Searches on a GPU: faults that the device does not survive, the order of
// building and measuring, and what is not looked at.

#include "test/unit/compiler/tune/search/AutotunerGpuTest.h"

namespace minic::tune {
namespace {

TEST_F(AutotunerGpuTest, FaultsAreRecordedAndTheRestGoesOn) {
  FakeCandidate illegal{10}, hang{11}, memory{12}, wrong{13}, unbuilt{14};
  illegal.crashes = true;
  hang.hangs = true;
  memory.outOfMemory = true;
  wrong.wrong = true;
  unbuilt.builds = false;
  TunedProblem tuned = tuneOne(
      makeGpuTask("p", {illegal, hang, memory, wrong, unbuilt, {50}, {45}}));
  EXPECT_EQ(chosen(tuned), "k6");
  EXPECT_EQ(find(tuned, "k0")->status, RowStatus::Crashed);
  EXPECT_EQ(find(tuned, "k1")->status, RowStatus::Hung);
  EXPECT_EQ(find(tuned, "k2")->status, RowStatus::Unavailable);
  EXPECT_EQ(find(tuned, "k2")->reason, "timing: out of device memory");
  EXPECT_EQ(find(tuned, "k3")->status, RowStatus::Wrong);
  EXPECT_EQ(find(tuned, "k4")->status, RowStatus::BuildFailed);
  EXPECT_EQ(machine.restarts, 2);
}

TEST_F(AutotunerGpuTest, TheClocksAreInTheRecordThatIsFoundAgain) {
  machine.smClocksMHz = {1755, 1980, 1545, 1830};
  TuningTask task = makeGpuTask("p", {{50}, {45}});
  TunedProblem tuned = tuneOne(task), again = tuneOne(task);
  EXPECT_TRUE(tuned.measured);
  EXPECT_FALSE(again.measured);
  EXPECT_EQ(describe(tuned.record.clock), "; SM clock 1545 to 1980 MHz");
  EXPECT_EQ(describe(again.record.clock), describe(tuned.record.clock));
  // Also where the finals are not reached.
  machine.smClocksMHz = {1980};
  options.budgetSeconds = 1e-6;
  tuned = tuneOne(makeGpuTask("q", {{50}, {45}}));
  EXPECT_EQ(tuned.record.state, RecordState::Partial);
  EXPECT_EQ(tuned.record.clock.lowMHz, 1980);
}

TEST_F(AutotunerGpuTest, WhereNothingWorksItIsSaidWhoIsToBlame) {
  FakeCandidate crash{10}, memory{11};
  crash.crashes = true;
  memory.outOfMemory = true;
  TuningTask task = makeGpuTask("p", {crash, memory});
  auto statusOf = [&] {
    options.retune = true;
    return Autotuner(*db, pool, worker, machine.clock, options)
        .tune({&task, 1})
        .status();
  };
  // A kernel of minic's own, then a library's.
  EXPECT_EQ(statusOf().code(), absl::StatusCode::kInternal);
  task.candidates[0].needsLibrary = true;
  absl::Status status = statusOf();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(),
            "linear(p): none of 2 candidates can be used: 1 crashed, 1 "
            "unavailable (k0: run: killed by signal 11)");
}

TEST_F(AutotunerGpuTest, WhatTheMachineLackedIsTriedAgain) {
  FakeCandidate memory{10};
  memory.outOfMemory = true;
  TuningTask task = makeGpuTask("p", {{50}, memory, {60}});
  stopAfter(2, task);
  machine.candidates["p/k1"].outOfMemory = false;
  EXPECT_EQ(chosen(tuneOne(task)), "k1");
}

TEST_F(AutotunerGpuTest, WhatSpillsIsLookedAtOnlyWhileNothingElseWorks) {
  TunedProblem tuned = tuneOne(makeGpuTask(
      "p", {{.us = 50, .spillBytes = 8}, {40}, {.us = 10, .spillBytes = 48}}));
  EXPECT_EQ(chosen(tuned), "k1");
  EXPECT_EQ(find(tuned, "k0")->status, RowStatus::Verified);
  EXPECT_EQ(find(tuned, "k2")->reason, "spills 48 B a thread");
}

TEST_F(AutotunerGpuTest, ScreensBeforeTheLastIsBuiltAndFinalsAfter) {
  // The first verification happens with builds to come.
  int buildsAtFirst = -1;
  machine.onVerify = [&] {
    buildsAtFirst = buildsAtFirst < 0 ? machine.builds : buildsAtFirst;
  };
  auto result = tuneAll({makeGpuTask("p", {{30}, {31}, {32}}),
                         makeGpuTask("q", {{30}, {31}, {32}})});
  EXPECT_LT(buildsAtFirst, 3);
  EXPECT_EQ(machine.builds, 6);
  for (const TunedProblem &tuned : result) {
    EXPECT_EQ(tuned.record.state, RecordState::Complete);
    EXPECT_GT(tuned.record.rows[tuned.selection.row].timeUs, 0);
  }
}

TEST_F(AutotunerGpuTest, WhatCannotWinByItsEstimateIsNotBuilt) {
  // Estimates are 10, 20, 30, ...; kernels take twice as long. The first two
  // are looked at, then what may be as fast.
  std::vector<FakeCandidate> specs;
  for (int i = 1; i <= 12; ++i) {
    specs.push_back({20.0 * i});
  }
  TuningTask task = makeComparableTask("p", specs);
  task.candidates[1].estimateUs = 10.5; // takes four times as long
  task.candidates[7].estimateUs = 10.6;
  task.candidates.back().kind = "";
  options.prospects.firstOfKind = 2;
  TunedProblem tuned = tuneOne(task);
  EXPECT_EQ(machine.builds, 4);
  EXPECT_EQ(machine.verified,
            (std::set<std::string>{"p/k0", "p/k1", "p/k7", "p/k11"}));
  EXPECT_EQ(find(tuned, "k2")->status, RowStatus::RuledOut);
  EXPECT_EQ(tuned.record.rows.size(), 12u);
  EXPECT_EQ(tuned.record.state, RecordState::Complete);
  EXPECT_EQ(tuned.record.coverage, 1);
  EXPECT_FALSE(tuneOne(task).measured);
  // Whoever asks for all of them is not answered with that.
  options.prospects.isExhaustive = true;
  options.replay = true;
  EXPECT_FALSE(tuneOne(task).measured);
  options.replay = false;
  TunedProblem all = tuneOne(task);
  EXPECT_TRUE(all.measured);
  EXPECT_EQ(machine.builds, 4 + 12);
  EXPECT_EQ(find(all, "k2")->status, RowStatus::Verified);
  EXPECT_FALSE(tuneOne(task).measured);
}

TEST_F(AutotunerGpuTest, WhatCannotWinIsByTheTimeThatIsExpected) {
  // By its model k3 cannot win; as it is fitted to the device it may.
  TuningTask task = makeComparableTask("p", {{20}, {40}, {60}, {10}, {90}});
  options.prospects.firstOfKind = 2;
  for (CandidateSpec &candidate : task.candidates) {
    candidate.expectedUs = candidate.estimateUs;
  }
  task.candidates[3].expectedUs = 5;
  TunedProblem tuned = tuneOne(task);
  EXPECT_EQ(chosen(tuned), "k3");
  EXPECT_EQ(find(tuned, "k4")->status, RowStatus::RuledOut);
  EXPECT_EQ(find(tuned, "k3")->candidate.estimateUs, 40);
}

TEST_F(AutotunerGpuTest, AnExhaustiveSearchTimesWhatSpills) {
  FakeCandidate spills{20};
  spills.spillBytes = 8;
  TuningTask task = makeComparableTask("p", {{30}, spills});
  EXPECT_EQ(find(tuneOne(task), "k1")->status, RowStatus::BuildFailed);
  options.prospects.isExhaustive = true;
  options.retune = true;
  TunedProblem all = tuneOne(task);
  EXPECT_EQ(find(all, "k1")->status, RowStatus::Verified);
  EXPECT_EQ(chosen(all), "k1");
}

TEST_F(AutotunerGpuTest, AnExhaustiveSearchSitsOnlyWithWhatMayBeTheFastest) {
  std::vector<FakeCandidate> specs = {{30}, {20}};
  for (int i = 0; i < 30; ++i) {
    specs.push_back({29.0 + i});
  }
  specs.push_back({19});
  auto roundsOf = [&](bool isExhaustive) {
    options.prospects.isExhaustive = isExhaustive;
    int64_t before = machine.timedRounds;
    TunedProblem tuned =
        tuneOne(makeGpuTask(isExhaustive ? "all" : "some", specs));
    EXPECT_EQ(chosen(tuned), "k32");
    EXPECT_NEAR(find(tuned, "k31")->screenUs, 58, 6);
    return machine.timedRounds - before;
  };
  int64_t some = roundsOf(false), all = roundsOf(true);
  EXPECT_LE(all, some - 29);
}

TEST_F(AutotunerGpuTest, NothingIsRuledOutWhileNothingWorks) {
  FakeCandidate wrong{10};
  wrong.wrong = true;
  std::vector<FakeCandidate> specs(4, wrong);
  specs.push_back({50});
  TuningTask task = makeComparableTask("p", specs);
  EXPECT_EQ(chosen(tuneOne(task)), "k4");
}

TEST_F(AutotunerGpuTest, ABudgetStillGivesAWinner) {
  options.budgetSeconds = 0.2;
  machine.buildSeconds = 0.05;
  std::vector<FakeCandidate> specs(20, FakeCandidate{50});
  TunedProblem tuned = tuneOne(makeGpuTask("p", specs));
  EXPECT_EQ(tuned.record.state, RecordState::Partial);
  EXPECT_GE(tuned.selection.row, 0);
  EXPECT_LT(machine.builds, 10);
}

TEST_F(AutotunerGpuTest, FinalsOfManyProblemsShareTheirTime) {
  options.rounds.indifference = 1e-6; // so that only time ends them
  options.rounds.maxRounds = 100000;
  options.rounds.maxSeconds = 1;
  options.finalsSeconds = 1.4;
  auto finals = [&](int problems, const std::string &name) {
    std::vector<TuningTask> tasks;
    for (int i = 0; i < problems; ++i) {
      tasks.push_back(
          makeGpuTask(name + std::to_string(i),
                      {{.us = 30, .noise = 0.01}, {.us = 30, .noise = 0.01}}));
    }
    double seconds = 0;
    for (const TunedProblem &problem : tuneAll(tasks)) {
      seconds += problem.record.measureSeconds;
    }
    return seconds / problems;
  };
  EXPECT_NEAR(finals(1, "one"), 1, 0.1);
  EXPECT_NEAR(finals(2, "two"), 0.7, 0.1);
  EXPECT_NEAR(finals(4, "four"), 0.5, 0.1); // each has half at least
}

TEST_F(AutotunerGpuTest, AnUnfinishedSearchGoesOnWhereItWasKilled) {
  machine.candidates["p/k0/00"] = {40};
  machine.candidates["p/k0/01"] = {25};
  TuningTask task = makeGpuTask(
      "p", {{.algorithms = {{"00", "a", 0}, {"01", "b", 0}}}, {30}, {31}});
  stopAfter(2, task);
  int before = verified;
  TunedProblem tuned = tuneOne(task);
  EXPECT_EQ(chosen(tuned), "k0 b");
  EXPECT_EQ(tuned.record.rows.size(), 4u);
  EXPECT_LT(verified - before, 4);
}

} // namespace
} // namespace minic::tune
