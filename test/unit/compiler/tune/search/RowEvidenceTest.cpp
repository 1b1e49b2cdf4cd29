// SPDX-License-Identifier: Apache-2.0
//
// Which row a choice has, and what is said of it beside the winner.

#include "compiler/tune/search/RowEvidence.h"

#include <gtest/gtest.h>

namespace minic::tune {
namespace {

Row makeRow(const std::string &name, double us, double ratio) {
  Row row;
  row.candidate.name = name;
  row.candidate.choice = "choice of " + name;
  row.status = RowStatus::Verified;
  row.binaryHash = "hash of " + name;
  row.screenUs = us;
  row.timeUs = ratio > 0 ? us : 0;
  row.ratio = ratio;
  return row;
}

TEST(RowEvidence, AChoiceHasItsRowOrThatOfTheSameBinary) {
  std::vector<Row> rows = {makeRow("a", 4, 1), makeRow("b", 5, 1.25),
                           makeRow("c", 5, 1.25)};
  EXPECT_EQ(findRow(rows, "choice of b"), &rows[1]);
  EXPECT_EQ(findRow(rows, "choice of d"), nullptr);
  rows[2].status = RowStatus::Duplicate;
  rows[2].binaryHash = rows[0].binaryHash;
  EXPECT_EQ(findRow(rows, "choice of c"), &rows[0]);
  rows[2].binaryHash = "of none";
  EXPECT_EQ(findRow(rows, "choice of c"), &rows[2]);
}

TEST(RowEvidence, SaysWhatBothWereTimedIn) {
  Row winner = makeRow("winner", 4, 1);
  EXPECT_EQ(describeBeside(makeRow("a", 5, 1.06), winner),
            "alone 6.0% slower than winner");
  // Where the tie rule decided.
  winner.ratio = 1.25;
  EXPECT_EQ(describeBeside(makeRow("a", 5, 1), winner),
            "alone 20.0% faster than winner");
  EXPECT_EQ(describeBeside(makeRow("a", 6, 0), winner),
            "alone 50.0% slower than winner by the screen");
  EXPECT_EQ(describeBeside(makeRow("a", 0, 0), winner), "verified, not timed");
}

TEST(RowEvidence, SaysWhyARowHasNoTime) {
  Row row = makeRow("a", 0, 0);
  row.status = RowStatus::Crashed;
  EXPECT_EQ(describeBeside(row, makeRow("winner", 4, 1)),
            "in the record: crashed");
  row.reason = "signal 11";
  EXPECT_EQ(describeBeside(row, makeRow("winner", 4, 1)),
            "in the record: crashed, signal 11");
}

} // namespace
} // namespace minic::tune
