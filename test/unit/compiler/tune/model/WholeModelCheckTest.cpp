// SPDX-License-Identifier: Apache-2.0

#include "compiler/tune/model/WholeModelCheck.h"
#include "test/unit/compiler/tune/FakeWorker.h"
#include "test/unit/compiler/tune/TempFolder.h"

#include "gmock/gmock.h"

#include <fstream>

namespace minic::tune {
namespace {

class WholeModelCheckTest : public testing::Test {
protected:
  Verdict check(double tunedUs, double defaultUs, double noise = 0.005) {
    machine.candidates["tuned"] = {tunedUs, noise};
    machine.candidates["default"] = {defaultUs, noise};
    std::ofstream(folder / "tuned") << "tuned";
    std::ofstream(folder / "default") << "default";
    inputs.tunedPath = folder / "tuned";
    inputs.defaultPath = folder / "default";
    inputs.planKey = "plan";
    inputs.device = "cpu";
    auto result = checkWholeModel(inputs, *db, worker, machine.clock);
    EXPECT_TRUE(result.ok()) << result.status();
    measured = result.ok() && result->measured;
    return result.ok() && result->plans ? *result->plans : Verdict();
  }

  TempFolder folder;
  FakeMachine machine;
  FakeWorker worker{machine};
  std::unique_ptr<TuningDb> db = folder.openDb();
  WholeModelInputs inputs;
  bool measured = false;
};

TEST_F(WholeModelCheckTest, TheFasterShips) {
  machine.driftPerRound = 0.02;
  Verdict verdict = check(90, 100);
  EXPECT_TRUE(verdict.tunedShips);
  EXPECT_NEAR(verdict.backToBack.ratio, 0.9, 0.01);
  inputs.retune = true;
  verdict = check(110, 100);
  EXPECT_FALSE(verdict.tunedShips);
  EXPECT_GT(verdict.backToBack.ratioLow, 1);
  EXPECT_FALSE(verdict.call.isMeasured());
}

TEST_F(WholeModelCheckTest, ATieShipsTheDefault) {
  EXPECT_FALSE(check(100, 100, /*noise=*/0).tunedShips);
  inputs.retune = true;
  EXPECT_FALSE(check(98.5, 100, /*noise=*/0).tunedShips);
  EXPECT_TRUE(check(97.5, 100, /*noise=*/0).tunedShips);
}

TEST_F(WholeModelCheckTest, NoiseNeverShips) {
  // The interval holds 1, wherever the estimate is.
  inputs.rounds.maxRounds = 12;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    machine.random.seed(seed);
    inputs.retune = true;
    Verdict verdict = check(100, 100, /*noise=*/0.01);
    EXPECT_FALSE(verdict.tunedShips) << describe(verdict);
  }
  EXPECT_FALSE(check(100.01, 100, /*noise=*/0).tunedShips);
}

TEST_F(WholeModelCheckTest, BesideOthersTeamsThatDifferAreNotCompared) {
  machine.isDisturbanceSeen = true;
  machine.disturb = [](const std::string &plan, int) {
    return plan == "default" ? 2.0 : 1.2;
  };
  Verdict verdict = check(105, 100);
  EXPECT_TRUE(verdict.tunedShips); // 126 us against 200, as it seems
  inputs.retune = true;
  inputs.teamsDiffer = true;
  verdict = check(105, 100);
  EXPECT_FALSE(verdict.tunedShips);
  EXPECT_TRUE(verdict.isProvisional);
  machine.disturb = nullptr;
  verdict = check(90, 100);
  EXPECT_TRUE(verdict.tunedShips);
  EXPECT_FALSE(verdict.isProvisional);
}

TEST_F(WholeModelCheckTest, RoundsGoOnUntilTheIntervalIsNarrow) {
  Verdict verdict = check(100, 100, /*noise=*/0.02);
  const Comparison &figure = verdict.backToBack;
  ASSERT_TRUE(figure.hasInterval());
  bool decided = figure.ratioLow > 1 || figure.ratioHigh < 1;
  EXPECT_TRUE(decided ||
              figure.ratioHigh - figure.ratioLow <= 0.0201 * figure.ratio)
      << describe(verdict);
}

TEST_F(WholeModelCheckTest, RoundsEndWithTheTime) {
  // Too noisy to be narrow in the time there is.
  inputs.rounds.maxSeconds = 0.1;
  double start = machine.clock.now();
  check(100, 100, /*noise=*/0.03);
  EXPECT_LT(machine.clock.now() - start, 0.2);
}

TEST_F(WholeModelCheckTest, TooFewRoundsHaveNoInterval) {
  inputs.rounds.maxRounds = 3;
  Verdict verdict = check(90, 100, /*noise=*/0);
  EXPECT_FALSE(verdict.backToBack.hasInterval());
  EXPECT_TRUE(verdict.tunedShips);
  EXPECT_EQ(describe(verdict), "tuned 90.00 us, default 100.00 us, ratio 0.900 "
                               "(too few rounds for an interval): tuned ships");
  // Also where the database tells it.
  verdict = check(90, 100);
  EXPECT_FALSE(measured);
  EXPECT_FALSE(verdict.backToBack.hasInterval());
}

TEST_F(WholeModelCheckTest, AnIntervalIsPrinted) {
  Verdict verdict;
  verdict.backToBack = {11, 10, 1.1, 1.05, 1.2};
  verdict.tunedShips = false;
  EXPECT_EQ(describe(verdict), "tuned 11.00 us, default 10.00 us, ratio 1.100 "
                               "[1.050, 1.200]: default ships");
}

TEST_F(WholeModelCheckTest, AVerdictIsMeasuredOnce) {
  check(90, 100);
  EXPECT_TRUE(measured);
  Verdict again = check(500, 100);
  EXPECT_FALSE(measured);
  EXPECT_TRUE(again.tunedShips);
  inputs.versions.sources["gemm"] = "2";
  EXPECT_FALSE(check(500, 100).tunedShips);
}

TEST_F(WholeModelCheckTest, AMissingArtifactIsAnError) {
  inputs.tunedPath = inputs.defaultPath = "/nowhere";
  auto verdict = checkWholeModel(inputs, *db, worker, machine.clock);
  EXPECT_EQ(verdict.status().code(), absl::StatusCode::kInternal);
}

} // namespace
} // namespace minic::tune
