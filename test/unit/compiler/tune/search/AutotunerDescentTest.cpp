// SPDX-License-Identifier: Apache-2.0
//
// Searches that go on to neighbours of their fastest rows, with a made-up
// builder, worker and clock.

#include "test/unit/compiler/tune/search/AutotunerGpuTest.h"

#include <gmock/gmock.h>

namespace minic::tune {
namespace {

using testing::HasSubstr;

/// "k0", "k1", ... are schedules with tiles 0, 1, ... of which the search is
/// offered some. The parameter: on a GPU.
class AutotunerDescentTest : public AutotunerGpuTest,
                             public testing::WithParamInterface<bool> {
protected:
  AutotunerDescentTest() {
    options.descent.share = 1;
    options.descent.starts = 1;
    options.descent.slack = 10;
  }

  TuningTask makeSpace(const std::vector<FakeCandidate> &specs,
                       const std::set<size_t> &offered,
                       const std::string &key = "p") {
    TuningTask task = makeTask(machine, key, specs);
    task.onGpu = GetParam();
    std::vector<SchedulePoint> points;
    std::vector<CandidateSpec> some;
    for (size_t i = 0; i < specs.size(); ++i) {
      SchedulePoint &point = points.emplace_back();
      point.candidate = task.candidates[i];
      point.frame = "gemm";
      point.parts = {{{"tile", {int64_t(i), ""}}}};
      if (offered.count(i)) {
        some.push_back(task.candidates[i]);
      }
    }
    task.candidates = some;
    task.countLegal = [count = specs.size()] { return int64_t(count); };
    task.listLegal = [this, points] {
      ++listed;
      return points;
    };
    return task;
  }
  /// 100, 98, ... down to the one at `best`, then up again.
  static std::vector<FakeCandidate> valley(int count, int best) {
    std::vector<FakeCandidate> specs;
    for (int i = 0; i < count; ++i) {
      specs.push_back({60.0 + 5 * std::abs(i - best)});
    }
    return specs;
  }

  int listed = 0;
};

INSTANTIATE_TEST_SUITE_P(Targets, AutotunerDescentTest, testing::Bool(),
                         [](const auto &target) {
                           return target.param ? "Gpu" : "Cpu";
                         });

TEST_P(AutotunerDescentTest, ReachesWhatWasNotOffered) {
  options.descent.share = 100;
  TunedProblem tuned = tuneOne(makeSpace(valley(12, 7), {1, 2, 3}));
  EXPECT_EQ(chosen(tuned), "k7");
  EXPECT_GT(find(tuned, "k7")->timeUs, 0) << "it was in the final";
  EXPECT_EQ(find(tuned, "k3")->foundFrom, "");
  EXPECT_EQ(find(tuned, "k4")->foundFrom, "k3");
  EXPECT_EQ(find(tuned, "k7")->foundFrom, "k6");
  // It saw that the next one is worse, and that was the end.
  EXPECT_EQ(find(tuned, "k8")->foundFrom, "k7");
  EXPECT_EQ(find(tuned, "k9"), nullptr);
  EXPECT_EQ(machine.builds, 3 + 5);
  EXPECT_TRUE(tuned.record.descended);
  EXPECT_EQ(tuned.record.state, RecordState::Complete);
  EXPECT_EQ(describeCoverage(tuned.record), "8 of 12 legal schedules tried");
  EXPECT_EQ(listed, 1);
  // The record says all of it, and is an answer.
  TunedProblem again = tuneOne(makeSpace(valley(12, 7), {1, 2, 3}));
  EXPECT_FALSE(again.measured);
  EXPECT_EQ(chosen(again), "k7");
  EXPECT_EQ(find(again, "k7")->foundFrom, "k6");
}

TEST_P(AutotunerDescentTest, StopsWhereNoneHelps) {
  TunedProblem tuned = tuneOne(makeSpace(valley(12, 5), {4, 5, 6}));
  EXPECT_EQ(chosen(tuned), "k5");
  EXPECT_EQ(machine.builds, 3);
  EXPECT_TRUE(tuned.record.descended);
}

TEST_P(AutotunerDescentTest, StopsAtItsShare) {
  // As many as were offered.
  TunedProblem tuned = tuneOne(makeSpace(valley(40, 30), {0, 1, 2}));
  EXPECT_EQ(chosen(tuned), "k5");
  EXPECT_EQ(machine.builds, 6);
  EXPECT_EQ(tuned.record.state, RecordState::Complete);
  // It is not searched again for that.
  EXPECT_FALSE(tuneOne(makeSpace(valley(40, 30), {0, 1, 2})).measured);
}

/// One that nobody asked for: its rows count, but nothing is searched again for
/// it, and whoever asks for a descent gets all of it.
TEST_P(AutotunerDescentTest, AShortOneIsNoAnswerToADescent) {
  ScheduleDescentPolicy whole = options.descent;
  whole.share = 100;
  options.descent = {};
  EXPECT_EQ(chosen(tuneOne(makeSpace(valley(40, 30), {0, 1, 2}))), "k2");
  options.descent = whole;
  options.descent.share = 0.5, options.descent.least = 4;
  options.descent.isShort = true;
  EXPECT_FALSE(tuneOne(makeSpace(valley(40, 30), {0, 1, 2})).measured);
  TunedProblem tuned = tuneOne(makeSpace(valley(40, 30), {0, 1, 2}, "q"));
  EXPECT_EQ(chosen(tuned), "k6");
  EXPECT_FALSE(tuned.record.descended);
  EXPECT_EQ(tuned.record.state, RecordState::Complete);
  options.descent = whole;
  EXPECT_EQ(chosen(tuneOne(makeSpace(valley(40, 30), {0, 1, 2}, "q"))), "k30");
}

TEST_P(AutotunerDescentTest, WithoutTimeThereIsNone) {
  for (double share : {0.0, 0.2}) {
    options.descent.share = share;
    options.retune = true;
    TunedProblem tuned = tuneOne(makeSpace(valley(12, 7), {1, 2, 3}));
    EXPECT_EQ(chosen(tuned), "k3");
    EXPECT_EQ(tuned.record.rows.size(), 3u);
    EXPECT_EQ(describeCoverage(tuned.record), "3 of 12 legal schedules tried");
    EXPECT_EQ(tuned.record.descended, share > 0);
    EXPECT_EQ(listed, 0) << "nobody has to know";
  }
  options.descent.share = 100;
  options.budgetSeconds = 1e-6;
  TunedProblem tuned = tuneOne(makeSpace(valley(12, 7), {1, 2, 3}, "q"));
  EXPECT_EQ(countFound(tuned.record), 0);
}

TEST_P(AutotunerDescentTest, ABudgetBoundsItToo) {
  options.descent.share = 100;
  options.budgetSeconds = 10 * machine.buildSeconds;
  TunedProblem tuned = tuneOne(makeSpace(valley(80, 70), {0, 1, 2}));
  EXPECT_GT(countFound(tuned.record), 0);
  EXPECT_LE(machine.clock.seconds, 1000 + 1.2 * options.budgetSeconds);
  EXPECT_EQ(tuned.record.state, RecordState::Complete);
}

TEST_P(AutotunerDescentTest, AFaultyNeighbourIsRejectedAndNotFollowed) {
  options.descent.share = 100;
  std::vector<FakeCandidate> wrong = valley(12, 7), crash = wrong,
                             build = wrong;
  wrong[5].wrong = true;
  crash[5].crashes = true;
  build[5].builds = false;
  for (auto [specs, status] : {std::pair(wrong, RowStatus::Wrong),
                               std::pair(crash, RowStatus::Crashed),
                               std::pair(build, RowStatus::BuildFailed)}) {
    options.retune = true;
    TunedProblem tuned = tuneOne(makeSpace(specs, {1, 2, 3}));
    EXPECT_EQ(chosen(tuned), "k4");
    ASSERT_NE(find(tuned, "k5"), nullptr);
    EXPECT_EQ(find(tuned, "k5")->status, status);
    EXPECT_NE(find(tuned, "k5")->reason, "");
    EXPECT_EQ(find(tuned, "k5")->foundFrom, "k4");
    EXPECT_EQ(find(tuned, "k6"), nullptr);
    EXPECT_EQ(tuned.record.state, RecordState::Complete);
  }
}

TEST_P(AutotunerDescentTest, EqualBinariesAreDuplicatesAndNotFollowed) {
  options.descent.share = 100;
  std::vector<FakeCandidate> specs = valley(12, 7);
  specs[4].hash = specs[3].hash = "same";
  TunedProblem tuned = tuneOne(makeSpace(specs, {1, 2, 3}));
  EXPECT_EQ(find(tuned, "k4")->status, RowStatus::Duplicate);
  EXPECT_THAT(find(tuned, "k4")->reason, HasSubstr("k3"));
  EXPECT_EQ(find(tuned, "k5"), nullptr);
}

TEST_P(AutotunerDescentTest, GoesOnFromARecordWithoutDescent) {
  options.descent.share = 100;
  TuningTask task = makeSpace(valley(12, 7), {1, 2, 3}), guided = task;
  guided.listLegal = nullptr;
  EXPECT_EQ(chosen(tuneOne(guided)), "k3");
  EXPECT_EQ(machine.builds, 3);
  TunedProblem tuned = tuneOne(task);
  EXPECT_TRUE(tuned.measured);
  EXPECT_EQ(chosen(tuned), "k7");
  EXPECT_EQ(describeCoverage(tuned.record), "8 of 12 legal schedules tried");
  // The neighbours, and the finalists of before, which have no artifact.
  EXPECT_LE(machine.builds, 3 + 5 + 3);
  // Whoever descends no more uses it.
  TunedProblem again = tuneOne(guided);
  EXPECT_FALSE(again.measured);
  EXPECT_EQ(chosen(again), "k7");
}

TEST_P(AutotunerDescentTest, ARecordOfAllSchedulesIsAnAnswer) {
  TuningTask task = makeSpace(valley(4, 2), {0, 1, 2, 3}), all = task;
  all.listLegal = nullptr;
  options.prospects.isExhaustive = true;
  EXPECT_EQ(chosen(tuneOne(all)), "k2");
  options.prospects.isExhaustive = false;
  EXPECT_FALSE(tuneOne(task).measured);
}

TEST_P(AutotunerDescentTest, AKilledDescentGoesOn) {
  options.descent.share = 100;
  TuningTask task = makeSpace(valley(12, 7), {1, 2, 3});
  options.stop = [&] { return machine.builds >= 5; };
  Autotuner tuner(*db, pool, worker, machine.clock, options);
  EXPECT_TRUE(absl::IsCancelled(tuner.tune({&task, 1}).status()));
  options.stop = nullptr;
  TunedProblem tuned = tuneOne(task);
  EXPECT_EQ(chosen(tuned), "k7");
  EXPECT_EQ(find(tuned, "k4")->foundFrom, "k3");
  EXPECT_LE(machine.builds, 8 + 5);
}

TEST_P(AutotunerDescentTest, SeveralProblemsDescend) {
  options.descent.share = 100;
  std::vector<TunedProblem> tuned =
      tuneAll({makeSpace(valley(12, 7), {1, 2, 3}, "p"),
               makeSpace(valley(12, 5), {1, 2, 3}, "q")});
  EXPECT_EQ(chosen(tuned[0]), "k7");
  EXPECT_EQ(chosen(tuned[1]), "k5");
}

TEST_P(AutotunerDescentTest, NoiseDoesNotHelp) {
  options.descent.share = 100;
  std::vector<FakeCandidate> flat(12, {100, 0.002});
  TunedProblem tuned = tuneOne(makeSpace(flat, {5}));
  EXPECT_EQ(countFound(tuned.record), 2);
}

} // namespace
} // namespace minic::tune
