// SPDX-License-Identifier: Apache-2.0
//
// Which schedules are neighbours, and which are looked at next.

#include "compiler/tune/search/ScheduleDescent.h"

#include <gmock/gmock.h>

namespace minic::tune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ScheduleValue number(int64_t value) { return {value, ""}; }
ScheduleValue word(const std::string &value) { return {std::nullopt, value}; }

SchedulePoint point(const std::string &name, std::vector<ScheduleFields> parts,
                    const std::string &frame = "gemm") {
  SchedulePoint point;
  point.candidate.name = point.candidate.choice = name;
  point.frame = frame;
  point.parts = std::move(parts);
  return point;
}

std::vector<std::string> neighbours(const ScheduleSpace &space,
                                    const std::string &of) {
  std::vector<std::string> names;
  for (size_t i : space.neighbours(*space.find(of))) {
    names.push_back(space.candidate(i).name);
  }
  return names;
}

TEST(ScheduleSpace, ANumberStepsToTheNextValuesThatThereAre) {
  ScheduleSpace space({point("16", {{{"tile", number(16)}}}),
                       point("4", {{{"tile", number(4)}}}),
                       point("8", {{{"tile", number(8)}}}),
                       point("64", {{{"tile", number(64)}}})});
  EXPECT_THAT(neighbours(space, "16"), ElementsAre("8", "64"));
  EXPECT_THAT(neighbours(space, "4"), ElementsAre("8"));
  EXPECT_THAT(neighbours(space, "64"), ElementsAre("16"));
}

TEST(ScheduleSpace, AWordStepsToAnyOther) {
  ScheduleSpace space({point("m", {{{"order", word("m")}}}),
                       point("n", {{{"order", word("n")}}}),
                       point("none", {{{"order", word("none")}}})});
  EXPECT_THAT(neighbours(space, "m"), ElementsAre("n", "none"));
  EXPECT_THAT(neighbours(space, "none"), ElementsAre("m", "n"));
}

TEST(ScheduleSpace, WhatIsLeftOutIsSmallerThanAllNumbers) {
  ScheduleSpace space(
      {point("off", {{{"tile", number(8)}}}),
       point("132", {{{"tile", number(8)}, {"blocks", number(132)}}}),
       point("264", {{{"tile", number(8)}, {"blocks", number(264)}}})});
  EXPECT_THAT(neighbours(space, "off"), ElementsAre("132"));
  EXPECT_THAT(neighbours(space, "132"), ElementsAre("off", "264"));
}

TEST(ScheduleSpace, OnlyOneFieldChangesWhereThatIsLegal) {
  std::vector<SchedulePoint> points;
  for (int tile : {1, 2, 4}) {
    for (int stages : {2, 3, 4}) {
      points.push_back(
          point(std::to_string(tile) + "x" + std::to_string(stages),
                {{{"tile", number(tile)}, {"stages", number(stages)}}}));
    }
  }
  ScheduleSpace space(std::move(points));
  EXPECT_THAT(neighbours(space, "2x3"),
              ElementsAre("1x3", "2x2", "2x4", "4x3"));
  EXPECT_THAT(neighbours(space, "1x2"), ElementsAre("1x3", "2x2"));
}

/// A tile of 64 needs 4 warps, one of 128 needs 8; either with 2 or 3 stages.
std::vector<SchedulePoint> coupled() {
  std::vector<SchedulePoint> points;
  for (auto [tile, warps] : {std::pair(64, 4), std::pair(128, 8)}) {
    for (int stages : {3, 2}) {
      points.push_back(point(std::to_string(tile) + "/" +
                                 std::to_string(warps) + "/" +
                                 std::to_string(stages),
                             {{{"tile", number(tile)},
                               {"warps", number(warps)},
                               {"stages", number(stages)}}}));
    }
  }
  return points;
}

TEST(ScheduleSpace, WhatHasToChangeWithAFieldDoesButNoMore) {
  ScheduleSpace space(coupled());
  EXPECT_THAT(neighbours(space, "64/4/2"), ElementsAre("64/4/3", "128/8/2"));
  EXPECT_THAT(neighbours(space, "128/8/3"), ElementsAre("64/4/3", "128/8/2"));
}

TEST(ScheduleSpace, OfEquallyNearOnesTheBestEstimateIsTaken) {
  ScheduleSpace space({point("a", {{{"tile", number(1)}, {"w", number(1)}}}),
                       point("c", {{{"tile", number(2)}, {"w", number(4)}}}),
                       point("b", {{{"tile", number(2)}, {"w", number(2)}}})});
  // By the step of the tile c, by that of w b.
  EXPECT_THAT(neighbours(space, "a"), ElementsAre("c", "b"));
}

TEST(ScheduleSpace, OnePartChangesAndTheFrameNever) {
  auto both = [](const std::string &name, int first, int second) {
    return point(name, {{{"tile", number(first)}}, {{"tile", number(second)}}},
                 "two");
  };
  ScheduleSpace space({both("11", 1, 1), both("12", 1, 2), both("21", 2, 1),
                       point("other", {{{"tile", number(1)}}}),
                       point("call", {{}}, "library")});
  EXPECT_THAT(neighbours(space, "11"), ElementsAre("12", "21"));
  // 22 is not legal, and 21 would change both.
  EXPECT_THAT(neighbours(space, "12"), ElementsAre("11"));
  EXPECT_THAT(neighbours(space, "other"), IsEmpty());
  EXPECT_FALSE(space.hasSteps(*space.find("call")));
  EXPECT_EQ(space.find("22"), std::nullopt);
}

class ScheduleDescentTest : public testing::Test {
protected:
  ScheduleDescentTest() {
    std::vector<SchedulePoint> points;
    for (int tile = 1; tile <= 16; ++tile) {
      points.push_back(
          point("t" + std::to_string(tile), {{{"tile", number(tile)}}}));
    }
    points.push_back(point("call", {{}}, "library"));
    space = std::make_unique<ScheduleSpace>(std::move(points));
    policy.share = 1;
    policy.starts = 2;
  }
  void add(const std::string &name, double us, const std::string &from = "") {
    Row &row = rows.emplace_back();
    row.candidate.name = row.candidate.choice = name;
    row.status = us > 0 ? RowStatus::Verified : RowStatus::Wrong;
    row.screenUs = us;
    row.foundFrom = from;
    row.deterministic = us != 7;
  }
  /// "t8: t7 t9"; empty where nothing is next.
  std::string next() {
    auto found = nextSteps(*space, rows, policy, selection);
    std::string text;
    if (found) {
      text = rows[found->from].candidate.name + ":";
      for (size_t i : found->points) {
        text += " " + space->candidate(i).name;
      }
    }
    return text;
  }

  std::unique_ptr<ScheduleSpace> space;
  std::vector<Row> rows;
  ScheduleDescentPolicy policy;
  SelectionPolicy selection;
};

TEST_F(ScheduleDescentTest, BeginsWithTheFastestThatHasSteps) {
  add("call", 4);
  add("t3", 10);
  add("t8", 8);
  EXPECT_EQ(next(), ""); // twice as slow as the library
  policy.slack = 3;
  EXPECT_EQ(next(), "t8: t7 t9");
  add("t7", 9, "t8");
  EXPECT_EQ(next(), "t8: t9");
  add("t9", 8.5, "t8");
  EXPECT_EQ(next(), "t3: t2 t4");
}

TEST_F(ScheduleDescentTest, GoesOnFromWhatHelpedAndNothingElse) {
  add("t8", 8);
  add("t7", 7.97, "t8"); // less than a part of 0.01
  add("t9", 6, "t8");
  EXPECT_TRUE(hasHelped(rows, 2, policy));
  EXPECT_FALSE(hasHelped(rows, 1, policy));
  EXPECT_FALSE(hasHelped(rows, 0, policy));
  EXPECT_EQ(next(), "t9: t10");
  add("t10", 0, "t9"); // wrong: nothing follows from it
  EXPECT_EQ(next(), "");
}

TEST_F(ScheduleDescentTest, StartsAreFew) {
  policy.slack = 9;
  policy.starts = 1;
  add("t2", 10);
  add("t5", 5);
  add("t4", 6, "t5");
  add("t6", 6, "t5");
  EXPECT_EQ(next(), "");
  policy.starts = 2;
  EXPECT_EQ(next(), "t2: t1 t3");
}

TEST_F(ScheduleDescentTest, WhatMayNotWinIsNoStart) {
  add("t2", 10);
  add("t8", 7); // not deterministic
  policy.slack = 2;
  EXPECT_EQ(next(), "t8: t7 t9");
  selection.deterministic = true;
  EXPECT_EQ(next(), "t2: t1 t3");
}

} // namespace
} // namespace minic::tune
