// SPDX-License-Identifier: Apache-2.0
//
// What a descent may cost, and where there is none.

#include "compiler/tune/model/DescentWorth.h"
#include "test/unit/compiler/tune/model/DescentTest.h"

namespace minic::tune {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class DescentWorthTest : public DescentTest {};

TEST_F(DescentWorthTest, ItsTimeIsAPartOfTheSearch) {
  EXPECT_DOUBLE_EQ(mostDescentSeconds(0, /*onGpu=*/false), 2);
  EXPECT_DOUBLE_EQ(mostDescentSeconds(6.6, /*onGpu=*/false), 2);
  EXPECT_DOUBLE_EQ(mostDescentSeconds(100, /*onGpu=*/false), 30);
  EXPECT_DOUBLE_EQ(mostDescentSeconds(3600, /*onGpu=*/false), 60);
  EXPECT_DOUBLE_EQ(mostDescentSeconds(6.6, /*onGpu=*/true), 6);
  EXPECT_DOUBLE_EQ(mostDescentSeconds(20, /*onGpu=*/true), 10);
  EXPECT_DOUBLE_EQ(mostDescentSeconds(3600, /*onGpu=*/true), 60);
}

TEST_F(DescentWorthTest, AfterAShortSearchItIsOverInTwoSeconds) {
  addProblem(4);
  addProblem(4);
  addProblem(4);
  buildSeconds = 0.3;
  inputs.maxSeconds = mostDescentSeconds(6.6, /*onGpu=*/false);
  descendTo("aaa");
  EXPECT_LT(seconds, 2);
  EXPECT_GT(seconds, 1);
}

TEST_F(DescentWorthTest, SlowBuildsLeaveOneTrial) {
  addProblem(3);
  buildSeconds = 5;
  inputs.maxSeconds = mostDescentSeconds(0, /*onGpu=*/false);
  EXPECT_EQ(descendTo("a").verdict.trials.size(), 1u);
}

TEST_F(DescentWorthTest, NeedsProblemsThatDiffer) {
  addProblem(3);
  EXPECT_THAT(whyNoDescent(inputs), HasSubstr("none: only 1 problem"));
  addProblem(3);
  EXPECT_THAT(whyNoDescent(inputs), HasSubstr("none: only 2 different"));
  inputs.model.onGpu = true;
  EXPECT_THAT(whyNoDescent(inputs), IsEmpty());
  inputs.model.onGpu = false;
  addProblem(1);
  EXPECT_THAT(whyNoDescent(inputs), IsEmpty());
}

TEST_F(DescentWorthTest, NeedsRowsThatComeClose) {
  addProblem(1);
  addProblem(1);
  addProblem(1);
  EXPECT_THAT(whyNoDescent(inputs), HasSubstr("no other row of 3 problems"));
  inputs.plans = {{0, 0, 0}};
  EXPECT_THAT(whyNoDescent(inputs), HasSubstr("no other row"));
}

} // namespace
} // namespace minic::tune
