// SPDX-License-Identifier: Apache-2.0

#include "compiler/tune/WholeModelCheck.h"
#include "test/unit/compiler/tune/Fakes.h"

namespace minic::tune {
namespace {

class WholeModelCheckTest : public testing::Test {
protected:
  Verdict check(double tunedUs, double defaultUs) {
    machine.candidates["tuned"] = {tunedUs, 0.005};
    machine.candidates["default"] = {defaultUs, 0.005};
    std::ofstream(folder / "tuned") << "tuned";
    std::ofstream(folder / "default") << "default";
    inputs.tunedPath = folder / "tuned";
    inputs.defaultPath = folder / "default";
    inputs.planKey = "plan";
    inputs.device = "cpu";
    auto verdict =
        checkWholeModel(inputs, *db, worker, machine.clock, measured);
    EXPECT_TRUE(verdict.ok()) << verdict.status();
    return verdict.ok() ? *verdict : Verdict();
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
  EXPECT_NEAR(verdict.ratio, 0.9, 0.01);
  inputs.retune = true;
  verdict = check(110, 100);
  EXPECT_FALSE(verdict.tunedShips);
  EXPECT_GT(verdict.ratioLow, 1);
}

TEST_F(WholeModelCheckTest, EqualOnesShipTuned) {
  EXPECT_TRUE(check(100, 100).tunedShips);
}

TEST_F(WholeModelCheckTest, AVerdictIsMeasuredOnce) {
  check(90, 100);
  EXPECT_TRUE(measured);
  Verdict again = check(500, 100);
  EXPECT_FALSE(measured);
  EXPECT_TRUE(again.tunedShips);
  inputs.versions.codegen = "2";
  EXPECT_FALSE(check(500, 100).tunedShips);
}

TEST_F(WholeModelCheckTest, AMissingArtifactIsAnError) {
  inputs.tunedPath = inputs.defaultPath = "/nowhere";
  auto verdict = checkWholeModel(inputs, *db, worker, machine.clock, measured);
  EXPECT_FALSE(verdict.ok());
}

} // namespace
} // namespace minic::tune
