// SPDX-License-Identifier: Apache-2.0
//
// Searches on a machine that others use as well.

#include "compiler/tune/search/NoiseMeter.h"
#include "compiler/tune/search/ScreenSamples.h"
#include "test/unit/compiler/tune/FakePool.h"
#include "test/unit/compiler/tune/FakeWorker.h"
#include "test/unit/compiler/tune/TempFolder.h"

#include <gmock/gmock.h>

namespace minic::tune {
namespace {

class NoisyMachine : public testing::Test {
protected:
  void SetUp() override {
    TuningDb::Options options;
    options.path = folder / "tuning.db";
    absl::StatusOr<std::unique_ptr<TuningDb>> opened = TuningDb::open(options);
    ASSERT_TRUE(opened.ok()) << opened.status();
    db = *std::move(opened);
    this->options.scratchDirectory = folder.path;
  }

  TunedProblem tune(const std::vector<FakeCandidate> &specs) {
    TuningTask task = makeTask(machine, "noisy", specs);
    FakePool pool(machine);
    FakeWorker worker(machine);
    Autotuner tuner(*db, pool, worker, machine.clock, options);
    absl::StatusOr<std::vector<TunedProblem>> tuned = tuner.tune({&task, 1});
    EXPECT_TRUE(tuned.ok()) << tuned.status();
    return tuned.ok() ? std::move(tuned->front()) : TunedProblem();
  }
  static const std::string &winner(const TunedProblem &tuned) {
    return tuned.record.rows[tuned.selection.row].candidate.name;
  }
  static int finalists(const TunedProblem &tuned) {
    return static_cast<int>(
        std::count_if(tuned.record.rows.begin(), tuned.record.rows.end(),
                      [](const Row &row) { return row.isFinalist(); }));
  }

  TempFolder folder;
  FakeMachine machine;
  std::unique_ptr<TuningDb> db;
  AutotunerOptions options;
};

std::vector<FakeCandidate> ofTimes(std::initializer_list<double> times) {
  std::vector<FakeCandidate> specs;
  for (double us : times) {
    specs.push_back({.us = us, .noise = 0.002});
  }
  return specs;
}

// What the demo met: while k1 was screened, the anchor beside it was disturbed,
// so that k1 seemed three times as fast as it is.
TEST_F(NoisyMachine, ADisturbedAnchorMakesNobodyFast) {
  machine.disturb = [](const std::string &choice, int round) {
    return choice == "noisy/k0" && round >= 2 && round <= 4 ? 3.0 : 1.0;
  };
  TunedProblem tuned = tune(ofTimes({600, 1500, 580, 610, 640, 700}));
  EXPECT_EQ(winner(tuned), "k2");
  EXPECT_GT(tuned.record.rows[1].screenUs, 1200);
}

// The same without anyone noticing: the final finds out, and those who had been
// left out are asked.
TEST_F(NoisyMachine, AFinalThatContradictsTheScreenOpensTheContestAgain) {
  options.finalists = options.leastFinalists = 2;
  machine.isDisturbanceSeen = false;
  constexpr int roundsOfScreen = 10; // two for each
  machine.disturb = [](const std::string &choice, int round) {
    bool isLucky = choice == "noisy/k1" || choice == "noisy/k2";
    return isLucky && round <= roundsOfScreen ? 0.3 : 1.0;
  };
  TunedProblem tuned = tune(ofTimes({600, 1500, 1600, 580, 610}));
  EXPECT_EQ(winner(tuned), "k3");
  EXPECT_GE(finalists(tuned), 3);
  for (const Row &row : tuned.record.rows) {
    if (row.isFinalist()) {
      EXPECT_GE(row.ratio, 1) << row.candidate.name;
    }
  }
  // On the scale of the last leader.
  EXPECT_NEAR(tuned.record.rows[1].ratio, 1500 / 580.0, 0.05);
}

TEST_F(NoisyMachine, FourGoToTheFinalWhereFourAreRight) {
  EXPECT_EQ(finalists(tune(ofTimes({100, 400, 500, 450, 600}))), 4);
}

TEST_F(NoisyMachine, WhoWasDisturbedIsScreenedAgain) {
  machine.disturb = [](const std::string &choice, int round) {
    return choice == "noisy/k3" && round < 14 ? 2.5 : 1.0;
  };
  TunedProblem tuned = tune(ofTimes({600, 700, 690, 500, 650, 640, 630, 610}));
  EXPECT_EQ(winner(tuned), "k3");
}

TEST_F(NoisyMachine, AContestThatTimeEndsUndecidedIsProvisional) {
  std::vector<FakeCandidate> specs = ofTimes({600, 610, 605, 620});
  for (FakeCandidate &spec : specs) {
    spec.noise = 0.5;
  }
  options.rounds.maxSeconds = 0.2;
  TunedProblem tuned = tune(specs);
  EXPECT_EQ(tuned.record.state, RecordState::Provisional);
  EXPECT_EQ(tuned.record.provisionalSearches, 1);
  EXPECT_GT(tuned.record.noise.spread, 0.2);
}

// A shared machine is never quiet: noise alone does not make one.
TEST_F(NoisyMachine, ADecidedContestIsCompleteHoweverNoisy) {
  std::vector<FakeCandidate> specs = ofTimes({600, 1800, 1900, 2000});
  for (FakeCandidate &spec : specs) {
    spec.noise = 0.2;
  }
  EXPECT_EQ(tune(specs).record.state, RecordState::Complete);
}

TEST(ScreenSamples, CalmSamplesCountAndNoSingleOneDecides) {
  SampleSet samples;
  EXPECT_EQ(samples.low(), 0);
  samples.add(300, true);
  samples.add(250, true);
  EXPECT_EQ(samples.low(), 250);
  for (double us : {90.0, 100.0, 101.0, 102.0, 103.0}) {
    samples.add(us, false);
  }
  EXPECT_EQ(samples.low(), 100);
}

TEST(NoiseMeter, TellsSpreadAndOthers) {
  NoiseMeter meter([] { return 2; });
  EXPECT_FALSE(meter.noise().isKnown());
  for (int i = 0; i <= 10; ++i) {
    meter.beforeRound();
    meter.add("a", 100 + 5 * i);
    meter.add("b", 100);
    meter.add("c", 100 + 8 * i);
  }
  Noise noise = meter.noise();
  EXPECT_NEAR(noise.spread, 145.0 / 105 - 1, 1e-9); // a's, the median
  EXPECT_EQ(noise.others, 2);
  noise.cores = 2;
  EXPECT_EQ(describe(noise), "2 other processes on 2 cores: samples vary by "
                             "38 %");
}

} // namespace
} // namespace minic::tune
