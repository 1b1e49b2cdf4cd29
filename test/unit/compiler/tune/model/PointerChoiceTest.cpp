// SPDX-License-Identifier: Apache-2.0
//
// What the whole-model check finds out about changed pointers of library calls,
// and what follows from it.

#include "compiler/tune/model/ShipRule.h"
#include "compiler/tune/model/WholeModelVerdicts.h"
#include "test/unit/compiler/tune/model/WholeModelGpuTest.h"

namespace minic::tune {
namespace {

using runtime::ChangedPointers;
using testing::HasSubstr;

Figures figuresOf(double firstUs, double secondUs, double firstCallUs,
                  double secondCallUs) {
  auto compare = [](double first, double second) {
    double ratio = first / second;
    return Comparison{first, second, ratio, 0.999 * ratio, 1.001 * ratio};
  };
  return {compare(firstUs, secondUs), compare(firstCallUs, secondCallUs)};
}

TEST(PointerChoiceTest, OneCallDecidesThenBackToBackThenWhatNeedsNothing) {
  EXPECT_TRUE(choosePointers(figuresOf(12, 10, 30, 35), nullptr).stages);
  EXPECT_FALSE(choosePointers(figuresOf(10, 12, 35, 30), nullptr).stages);
  EXPECT_TRUE(choosePointers(figuresOf(10, 12, 30, 30), nullptr).stages);
  EXPECT_FALSE(choosePointers(figuresOf(10, 10, 30, 30), nullptr).stages);
}

TEST(PointerChoiceTest, AnUpdateComesWhenRunsHaveLostAsMuch) {
  // An update adds 60 us to a call of 20; a launched one loses 11.
  Figures update = figuresOf(70, 10, 80, 20);
  PointerChoice choice = choosePointers(figuresOf(14, 12, 35, 31), &update);
  EXPECT_FALSE(choice.stages);
  EXPECT_DOUBLE_EQ(choice.updateUs, 60);
  EXPECT_EQ(choice.runsBeforeUpdate, 6u);
  // Staged ones lose 5 and win.
  choice = choosePointers(figuresOf(14, 12, 25, 31), &update);
  EXPECT_TRUE(choice.stages);
  EXPECT_EQ(choice.runsBeforeUpdate, 12u);
  // Calls do not separate them: launched ones lose 2 back to back.
  choice = choosePointers(figuresOf(14, 12, 31, 31), &update);
  EXPECT_FALSE(choice.stages);
  EXPECT_EQ(choice.runsBeforeUpdate, 30u);
}

TEST(PointerChoiceTest, RunsBeforeAnUpdateAreBounded) {
  Figures cheap = figuresOf(10, 10.5, 20, 20.5),
          dear = figuresOf(70, 10, 80, 20);
  EXPECT_EQ(choosePointers(figuresOf(14, 12, 35, 31), &cheap).runsBeforeUpdate,
            1u);
  EXPECT_EQ(choosePointers(figuresOf(14, 12, 35, 31), &cheap).updateUs, 0);
  // Nothing is lost, or hardly anything.
  for (double launched : {19.0, 20.0, 20.01}) {
    EXPECT_EQ(
        choosePointers(figuresOf(14, 12, 35, launched), &dear).runsBeforeUpdate,
        1000u);
  }
  EXPECT_EQ(choosePointers(figuresOf(14, 12, 35, 31), nullptr).runsBeforeUpdate,
            0u);
}

class PointerMeasureTest : public WholeModelGpuTest {
protected:
  PointerMeasureTest() {
    changedUs = {{ChangedPointers::stage, {14, 35}},
                 {ChangedPointers::launch, {12, 31}},
                 {ChangedPointers::update, {70, 80}}};
  }
  /// A graph ships.
  WholeModelResult replayed() { return check(replays, slow); }

  const Times replays{10, 9, 25, 20}, slow{13, 14, 32, 29};
};

TEST_F(PointerMeasureTest, IsMeasuredWhereAGraphShips) {
  WholeModelResult result = replayed();
  ASSERT_TRUE(result.graph && result.graph->tunedShips);
  ASSERT_TRUE(result.pointers && result.update);
  EXPECT_FALSE(result.pointers->tunedShips);
  EXPECT_EQ(result.pointers->reason, "one synchronized call decides");
  EXPECT_NEAR(result.pointers->call.tunedUs, 35, 0.5);
  EXPECT_NEAR(result.pointers->backToBack.defaultUs, 12, 0.2);
  EXPECT_NEAR(result.update->call.tunedUs, 80, 1);
  EXPECT_NEAR(result.update->call.defaultUs, 20, 0.3);
  EXPECT_THAT(describe(*result.pointers),
              AllOf(HasSubstr("changed pointers staged 14."),
                    HasSubstr(": launched won (one synchronized call")));
  EXPECT_THAT(describe(*result.update),
              AllOf(HasSubstr("graph updated in every run 7"),
                    Not(HasSubstr("ships")), Not(HasSubstr("won"))));
}

TEST_F(PointerMeasureTest, IsOfThePlanThatShips) {
  // The default plan's own graph.
  WholeModelResult result = check(slow, replays);
  EXPECT_FALSE(result.plans->tunedShips);
  EXPECT_TRUE(result.graph->tunedShips);
  ASSERT_TRUE(result.update);
  EXPECT_NEAR(result.update->call.defaultUs, 20, 0.3);
}

TEST_F(PointerMeasureTest, IsOfAGraphReplayedWhenIdle) {
  WholeModelResult result = check({8, 9.6, 17.4, 15.4, 8, 15.4}, slow);
  ASSERT_TRUE(result.whenIdle && result.whenIdle->tunedShips);
  EXPECT_TRUE(result.pointers && result.update);
  EXPECT_FALSE(check({8, 9.6, 17.4, 15.4, 8, 15.4}, slow).measured);
}

TEST_F(PointerMeasureTest, TakesLittleTime) {
  check({385, 330, 400, 350}); // a slow model
  double with = seconds;
  changedUs.clear();
  inputs.retune = true;
  check({385, 330, 400, 350});
  EXPECT_LT(with - seconds, 0.3);
}

TEST_F(PointerMeasureTest, IsFoundAgain) {
  replayed();
  WholeModelResult again = replayed();
  EXPECT_FALSE(again.measured);
  ASSERT_TRUE(again.pointers && again.update);
  EXPECT_NEAR(again.update->call.tunedUs, 80, 1);
  // One row of both is not enough.
  auto other = folder.openDb("other.db");
  auto verdicts = db->verdicts();
  ASSERT_TRUE(verdicts.ok());
  for (const Verdict &verdict : *verdicts) {
    if (!verdict.isOfUpdate()) {
      ASSERT_TRUE(other->putVerdict(verdict).ok());
    }
  }
  auto found = findWholeModel(inputs, *other);
  ASSERT_TRUE(found.ok());
  EXPECT_FALSE(*found);
}

TEST_F(PointerMeasureTest, NothingIsMeasuredWhereAStreamShips) {
  WholeModelResult result = check({8, 9, 20, 25}, slow);
  EXPECT_FALSE(result.graph->tunedShips);
  EXPECT_FALSE(result.pointers || result.update);
  EXPECT_FALSE(check({8, 9, 20, 25}, slow).measured);
}

TEST_F(PointerMeasureTest, NothingIsMeasuredWhereLibrariesUseNoCallersTensor) {
  changedUs.clear();
  WholeModelResult result = replayed();
  ASSERT_TRUE(result.pointers);
  EXPECT_TRUE(result.pointers->isRefused());
  EXPECT_FALSE(result.update);
  EXPECT_EQ(describe(*result.pointers),
            "no library call uses a tensor of the caller's");
  result = replayed();
  EXPECT_FALSE(result.measured);
  EXPECT_TRUE(result.pointers);
}

TEST_F(PointerMeasureTest, AnUpdateThatIsRefusedIsNeverDone) {
  changedUs[ChangedPointers::update].first = -1;
  WholeModelResult result = replayed();
  ASSERT_TRUE(result.pointers && result.update);
  EXPECT_FALSE(result.pointers->isRefused());
  EXPECT_TRUE(result.update->isRefused());
  EXPECT_EQ(describe(*result.update),
            "changed pointers refused: cannot update");
  EXPECT_FALSE(replayed().measured);
}

TEST_F(PointerMeasureTest, StagesThatAreRefusedLeaveTheDefault) {
  changedUs[ChangedPointers::stage].first = -1;
  WholeModelResult result = replayed();
  ASSERT_TRUE(result.pointers);
  EXPECT_TRUE(result.pointers->isRefused());
  EXPECT_FALSE(result.update);
}

TEST_F(PointerMeasureTest, WithoutMemoryForMoreOperandsItIsLeftOpen) {
  lacksMore = true;
  WholeModelResult result = replayed();
  EXPECT_TRUE(result.graph->tunedShips);
  EXPECT_FALSE(result.pointers || result.update);
  lacksMore = false;
  result = replayed();
  EXPECT_TRUE(result.measured);
  EXPECT_TRUE(result.pointers);
}

TEST_F(PointerMeasureTest, IsMeasuredWhereAGraphWasOrdered) {
  inputs.streams = false;
  WholeModelResult result = check({25, 10, 30, 20});
  EXPECT_FALSE(result.graph || result.plans);
  EXPECT_TRUE(result.pointers && result.update);
  result = check({25, 10, 30, 20});
  EXPECT_FALSE(result.measured);
  EXPECT_TRUE(result.pointers && result.update);
}

} // namespace
} // namespace minic::tune
