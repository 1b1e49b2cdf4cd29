// SPDX-License-Identifier: Apache-2.0
//
// Picks from rows: who is eligible, and the tie rule.

#include "compiler/tune/search/Selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace minic::tune {
namespace {

using testing::HasSubstr;

Row finalist(const std::string &name, double us, double best,
             double halfWidth = 0.001) {
  Row row;
  row.candidate.name = name;
  row.status = RowStatus::Verified;
  row.screenUs = row.timeUs = us;
  row.ratio = us / best;
  row.ratioLow = row.ratio * (1 - halfWidth);
  row.ratioHigh = row.ratio * (1 + halfWidth);
  row.deterministic = true;
  return row;
}

TEST(Selection, TakesTheFastestWhateverTheOrderOfRows) {
  std::vector<Row> rows = {finalist("a", 110, 100), finalist("b", 100, 100),
                           finalist("c", 105, 100)};
  std::sort(rows.begin(), rows.end(), [](const Row &a, const Row &b) {
    return a.candidate.name < b.candidate.name;
  });
  do {
    Selection selection = select(rows);
    ASSERT_GE(selection.row, 0);
    EXPECT_EQ(rows[selection.row].candidate.name, "b");
    EXPECT_THAT(selection.reason, HasSubstr("5.0% faster than c"));
  } while (std::next_permutation(rows.begin(), rows.end(),
                                 [](const Row &a, const Row &b) {
                                   return a.candidate.name < b.candidate.name;
                                 }));
}

TEST(Selection, TheFastestWithoutALibraryHasToComeClose) {
  std::vector<Row> rows = {finalist("library", 100, 100),
                           finalist("slow", 125, 100),
                           finalist("generated", 120, 100)};
  Selection winner = select(rows);
  // Nobody is needed beside a generated winner.
  EXPECT_EQ(selectGenerated(rows, winner, 1.3), -1);
  rows[0].candidate.needsLibrary = true;
  EXPECT_EQ(selectGenerated(rows, winner, 1.3), 2);
  EXPECT_EQ(selectGenerated(rows, winner, 1.1), -1);
  // What was only screened has a time, too.
  rows[2].timeUs = 0;
  EXPECT_EQ(selectGenerated(rows, winner, 1.3), 2);
  rows[2].status = RowStatus::Wrong;
  EXPECT_EQ(selectGenerated(rows, winner, 1.3), 1);
  rows[1].deterministic = false;
  EXPECT_EQ(selectGenerated(rows, winner, 1.3, {.deterministic = true}), -1);
}

TEST(Selection, TieGoesToFewerLaunchesThenScratchThenNoLibraryThenName) {
  // Within the noise of the fastest: 0.5 % slower, interval of 1 %.
  std::vector<Row> rows = {finalist("z", 100, 100, 0),
                           finalist("a", 100.5, 100, 0.01)};
  EXPECT_EQ(select(rows).row, 1);
  rows[0].candidate.needsLibrary = rows[1].candidate.needsLibrary = true;
  rows[0].candidate.needsLibrary = false;
  EXPECT_EQ(select(rows).row, 0);
  rows[0].scratchBytes = 64;
  EXPECT_EQ(select(rows).row, 1);
  rows[1].candidate.launches = 2;
  EXPECT_EQ(select(rows).row, 0);
  rows[0].candidate.launches = 3;
  EXPECT_EQ(select(rows).row, 1);
  EXPECT_THAT(select(rows).reason, HasSubstr("fewer launches"));
}

TEST(Selection, NoTieBeyondTheIntervalOrTheMargin) {
  std::vector<Row> rows = {finalist("z", 100, 100, 0),
                           finalist("a", 100.5, 100, 0.001)};
  EXPECT_EQ(select(rows).row, 0); // measured to be slower
  rows[1] = finalist("a", 110, 100, 0.2);
  EXPECT_EQ(select(rows).row, 0); // too noisy to know, too slow to risk
}

TEST(Selection, OnlyVerifiedRowsWin) {
  for (RowStatus status :
       {RowStatus::Wrong, RowStatus::Crashed, RowStatus::Hung,
        RowStatus::BuildFailed, RowStatus::Duplicate, RowStatus::Skipped}) {
    std::vector<Row> rows = {finalist("fast", 1, 1), finalist("slow", 9, 1)};
    rows[0].status = status;
    EXPECT_EQ(select(rows).row, 1) << toString(status);
  }
}

TEST(Selection, DeterministicPolicyExcludesOthers) {
  std::vector<Row> rows = {finalist("fast", 1, 1), finalist("slow", 9, 1)};
  rows[0].deterministic = false;
  EXPECT_EQ(select(rows).row, 0);
  SelectionPolicy policy;
  policy.deterministic = true;
  EXPECT_EQ(select(rows, policy).row, 1);
}

TEST(Selection, AScreenAloneDecidesWhereTheBudgetEnded) {
  std::vector<Row> rows = {finalist("a", 5, 5), finalist("b", 4, 4)};
  rows[0].timeUs = rows[1].timeUs = 0;
  EXPECT_EQ(select(rows).row, 1);
  rows[0].screenUs = rows[1].screenUs = 0;
  rows[0].candidate.estimateUs = 1;
  rows[1].candidate.estimateUs = 2;
  EXPECT_EQ(select(rows).row, 0);
}

TEST(Selection, SaysWhyNothingCanBeUsed) {
  EXPECT_EQ(select(std::vector<Row>()).row, -1);
  std::vector<Row> rows = {finalist("a", 5, 5), finalist("b", 4, 4)};
  rows[0].status = RowStatus::Wrong;
  rows[0].reason = "output y[3]: expected 1, got 2";
  rows[1].status = RowStatus::Crashed;
  Selection selection = select(rows);
  EXPECT_EQ(selection.row, -1);
  EXPECT_EQ(selection.reason,
            "none of 2 candidates can be used: 1 crashed, 1 wrong (a: output "
            "y[3]: expected 1, got 2)");
}

TEST(Selection, NamesTheRunnerUpWithItsMargin) {
  std::vector<Row> rows = {finalist("slow", 150, 100), finalist("b", 110, 100),
                           finalist("a", 100, 100)};
  Selection selection = select(rows);
  EXPECT_EQ(selection.row, 2);
  EXPECT_EQ(selection.runnerUp, 1);
  EXPECT_NEAR(selection.runnerUpRatio, 1.1, 1e-9);
  // Where the tie rule decides, the runner-up is the faster one.
  rows = {finalist("z", 100, 100, 0), finalist("a", 100.5, 100, 0.01)};
  selection = select(rows);
  EXPECT_EQ(selection.row, 1);
  EXPECT_EQ(selection.runnerUp, 0);
  EXPECT_NEAR(selection.runnerUpRatio, 1 / 1.005, 1e-9);
  EXPECT_EQ(selection.reason,
            "tied with z (0.5% faster, within the noise): first by name");
  rows.resize(1);
  EXPECT_EQ(select(rows).runnerUp, -1);
}

} // namespace
} // namespace minic::tune
